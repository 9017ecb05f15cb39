import type { ApiError } from '../../errors.ts';
import { readableTime } from '../../pages/controls.ts';
import { html, type Html } from '../../pages/html.ts';
import type { CustomReply } from '../handler.ts';
import { refusalContent, showPortalPage, type PortalPage } from '../hosted/portal.ts';
import type { NoticeKey, Visit } from './visit.ts';

/** A page in the portal's frame. It shows once what the previous form did. */
export function portalPage(visit: Visit, page: PortalPage): CustomReply {
  const { env, session } = visit;
  const heading = html`<strong>Webhooks of the environment ${env.environment}</strong>
    <span class="faint"
      >It is ${readableTime(env.clock.iso())}. The session ends ${readableTime(session.expires_at)}.</span
    >`;
  // A rejected form keeps the notice for the next page.
  const notice = (page.status ?? 200) === 200 ? noticeOf(visit) : undefined;
  return showPortalPage(env, page, { portal: 'Webhooks', heading, notice });
}

export const refusalPage = (visit: Visit, refusal: ApiError): CustomReply =>
  portalPage(visit, refusalContent(refusal, backLink));

export const backLink: Html = html`<p class="back">
  <a href="/ui/webhooks">All endpoints and deliveries</a>
</p>`;

interface PortalNotice {
  kind: 'good' | 'note';
  text: string;
}

const TEXTS: Record<Exclude<NoticeKey['told'], 'sent'>, string> = {
  added: 'The endpoint was added. Give its secret to the receiver: it signs each delivery.',
  saved: 'The settings are saved.',
  enabled: 'The endpoint is switched on.',
  disabled: 'The endpoint is switched off.',
  rotated: 'There is a new secret. For 24 hours deliveries are signed with the old one, too.',
  removed: 'The endpoint is removed.',
  redelivered: 'The delivery is queued again. Reload the page to see the result.',
};

/** The result of the previous form; shown once. */
function noticeOf({ env, session: { id, notice } }: Visit): PortalNotice | undefined {
  if (!notice) return undefined;
  env.webhook_portal_sessions.update(id, { notice: undefined });
  if (notice.told === 'sent') return sent(notice);
  return { kind: 'good', text: TEXTS[notice.told] };
}

function sent({ about = '', count = 0 }: NoticeKey): PortalNotice {
  if (count === 0) return { kind: 'note', text: `${about} was emitted. No endpoint receives it.` };
  const where = count === 1 ? 'one endpoint' : `${count} endpoints`;
  return {
    kind: 'good',
    text: `${about} is sent to ${where}. Reload the page to see the result.`,
  };
}
