import type { Notice } from './session.ts';
import type { Visit } from './visit.ts';

interface Told {
  kind: 'good' | 'note';
  text: string;
}

const TEXTS: Record<Exclude<Notice['told'], 'sent'>, string> = {
  added: 'The endpoint is there. Give its secret to whoever receives: each delivery is signed with it.',
  saved: 'The settings are saved.',
  enabled: 'The endpoint is switched on.',
  disabled: 'The endpoint is switched off.',
  rotated: 'There is a new secret. For 24 hours deliveries are signed with the old one, too.',
  removed: 'The endpoint is removed.',
  redelivered: 'It is on its way again. Load the page again to see how it went.',
};

/** What the form before this page has done; it is told once. */
export function noticeOf({ world, session: { id, notice } }: Visit): Told | undefined {
  if (!notice) return undefined;
  world.webhook_portal_sessions.update(id, { notice: undefined });
  if (notice.told === 'sent') return sent(notice);
  return { kind: 'good', text: TEXTS[notice.told] };
}

function sent({ about = '', count = 0 }: Notice): Told {
  if (count === 0) return { kind: 'note', text: `${about} happened, and no endpoint wants to know of it.` };
  const where = count === 1 ? 'one endpoint' : `${count} endpoints`;
  return {
    kind: 'good',
    text: `${about} is on its way to ${where}. Load the page again to see how it went.`,
  };
}
