import { signal } from '@preact/signals';
import { go, href } from '../route.ts';
import { environment, listen } from '../session.ts';

const KEPT = 'understudy-mail-notices';
const canTell = 'Notification' in window;

/** Whether the reader wants to hear of mails, and the browser allows it. */
const isOn = signal(
  canTell && Notification.permission === 'granted' && localStorage.getItem(KEPT) === 'true',
);
const isRefused = signal(false);

async function turn(on: boolean): Promise<void> {
  const isAllowed = !on || (await Notification.requestPermission()) === 'granted';
  isRefused.value = !isAllowed;
  if (!isAllowed) return;
  localStorage.setItem(KEPT, String(on));
  isOn.value = on;
}

/** Tells of each new mail of the environment that is shown, while this tab is not seen. */
export function followMails(): void {
  listen(({ kind, data }) => {
    if (kind !== 'mail' || !isOn.value || !document.hidden) return;
    const { id, to, subject } = data as { id: string; to: string; subject: string };
    const { name } = environment.value;
    const address = href('mail', id);
    const notice = new Notification(subject, { body: `To ${to}, in ${name}`, tag: `${name} ${id}` });
    notice.addEventListener('click', () => {
      window.focus();
      go(address);
      notice.close();
    });
  });
}

/** Asks the browser for its permission, once. */
export const NoticesButton = () =>
  canTell ? (
    <button type="button" aria-pressed={isOn.value} onClick={() => void turn(!isOn.value)}>
      Notify me of new mails
    </button>
  ) : null;

export const NoticesRefused = () =>
  isRefused.value ? (
    <p class="alert note" role="alert">
      The browser does not let this page notify you. Allow notifications for {location.origin} in its
      settings, and press the button again.
    </p>
  ) : null;
