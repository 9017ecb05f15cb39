import { ApiError, failedPrecondition } from '../../contract/errors.ts';
import type { Input } from '../../contract/types.ts';
import { alert, field, form, hidden, readableTime, sentence } from '../../pages/controls.ts';
import { html, type Html } from '../../pages/html.ts';
import { qrCode } from '../../pages/qr-code.ts';
import type { Env, Rows } from '../../state/env.ts';
import { Redirect, showPage, type CustomReply, type Operations } from '../handler.ts';
import { checkCsrfToken } from '../hosted/browser.ts';
import { profileSession, profileToken } from '../hosted/profile.ts';
import { addressOf, disable, enable, register, type Registration } from './registrations.ts';

type Session = Rows['sessions'];
type Form = Input<'ProfilePage_ChangeAuthenticator'>['body'];

const PATH = '/ui/profile/authenticator';

export const authenticatorPage = {
  ProfilePage_ShowAuthenticator({ cookies }, env) {
    return appPage(env, profileSession(env, cookies));
  },

  ProfilePage_ChangeAuthenticator({ cookies, body }, env) {
    const session = profileSession(env, cookies);
    checkCsrfToken(body, profileToken(session));
    try {
      const backupCodes = change(env, session, body);
      return backupCodes
        ? backupCodesPage(backupCodes)
        : new Redirect(`${env.baseUrl}${PATH}`, { status: 303 });
    } catch (thrown) {
      if (thrown instanceof ApiError) return appPage(env, session, sentence(thrown.message));
      throw thrown;
    }
  },
} satisfies Partial<Operations>;

/** The user's app; undefined if none was set up, or it was disabled. */
const appOf = (env: Env, { user_id }: Session): Registration | undefined =>
  env.totp_registrations.list('user_id', user_id).findLast(({ status }) => status !== 'DISABLED');

/** Returns the backup codes of an app that it has enabled. */
function change(env: Env, session: Session, { action, code = '' }: Form): string[] | undefined {
  if (action === 'start') return void register(env, { user_id: session.user_id });
  const app = appOf(env, session);
  if (!app) throw failedPrecondition('there is no authenticator app: set one up first');
  if (action === 'enable') return enable(env, app, code);
  disable(env, app, code);
  return undefined;
}

function appPage(env: Env, session: Session, problem?: string): CustomReply {
  const app = appOf(env, session);
  const csrf_token = profileToken(session);
  const body = html`<section class="card">
    <h1>Authenticator app</h1>
    <p class="faint">of ${env.users.get(session.user_id).email}</p>
    ${!app || app.status === 'PENDING' ? setUp(env, app, csrf_token) : inUse(app, csrf_token)}
    ${problem && alert('bad', problem)}
  </section>`;
  return showPage({ title: 'Authenticator app', body }, { status: problem ? 400 : 200 });
}

const codeForm = (csrf_token: string, action: string, button: Html): Html => {
  const code = field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', required: true });
  return form({ action: PATH, csrf_token, content: html`${hidden('action', action)}${code}${button}` });
};

function setUp(env: Env, app: Registration | undefined, csrf_token: string): Html {
  const start = html`${hidden('action', 'start')}<button class="${app ? 'quiet' : ''}">
      ${app ? 'Make another key' : 'Set up an app'}
    </button>`;
  const startForm = form({ action: PATH, csrf_token, content: start });
  if (!app)
    return html`<p>A code of the app protects each sign-in.</p>
      ${startForm}`;
  const address = addressOf(env, app);
  return html`<p>Scan this picture with your app, or type the key, and then the code that the app shows.</p>
    ${qrCode(address, 'The key as a picture')}
    <p><code>${app.secret}</code></p>
    <p><a href="${address}">Open the app on this device</a></p>
    ${codeForm(csrf_token, 'enable', html`<button>Enable</button>`)} ${startForm}`;
}

const inUse = ({ update_time, backup_codes }: Registration, csrf_token: string): Html =>
  html`<p>Enabled on ${readableTime(update_time)}. Unused backup codes: ${String(backup_codes.length)}.</p>
    <p>To disable it, enter a code of the app or a backup code.</p>
    ${codeForm(csrf_token, 'disable', html`<button class="bad">Disable</button>`)}`;

const backupCodesPage = (codes: readonly string[]): CustomReply => {
  const body = html`<section class="card">
    <h1>Your backup codes</h1>
    <p>Each works once, in place of a code of the app. They are not shown again.</p>
    <ul class="plain">
      ${codes.map((code) => html`<li><code>${code}</code></li>`)}
    </ul>
    <p class="below"><a class="button" href="${PATH}">Done</a></p>
  </section>`;
  return showPage({ title: 'Your backup codes', body });
};
