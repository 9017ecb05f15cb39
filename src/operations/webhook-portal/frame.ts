import type { ApiError } from '../../errors.ts';
import { alert, readableTime, sentence } from '../../pages/controls.ts';
import { html, type Fragment, type Html } from '../../pages/html.ts';
import { framers, showPage, type CustomReply } from '../custom-reply.ts';
import type { NoticeKey, Visit } from './session.ts';

interface PortalPage {
  title: string;
  body: Fragment;
  /** A problem that belongs to no single field. */
  problem?: string | undefined;
  /** HTTP status: 200 unless the form was rejected. */
  status?: number;
}

/** A page in the portal's frame. It shows once what the previous form did. */
export function portalPage(visit: Visit, { title, body, problem, status = 200 }: PortalPage): CustomReply {
  const { env, session } = visit;
  // A rejected form keeps the notice for the next page.
  const notice = status === 200 ? noticeOf(visit) : undefined;
  const content = html`<header class="bar">
      <strong>Webhooks of the environment ${env.environment}</strong>
      <span class="faint"
        >It is ${readableTime(env.clock.iso())}. The session ends ${readableTime(session.expires_at)}.</span
      >
    </header>
    ${notice && alert(notice.kind, notice.text)} ${problem && alert('bad', problem)} ${body}`;
  const sheet = { title: `${title} · Webhooks`, body: content, wide: true, framedBy: framers(env) };
  return showPage(sheet, { status });
}

/** A rejection that belongs to no form. */
export const refusalPage = (visit: Visit, { status, message }: ApiError): CustomReply =>
  portalPage(visit, {
    title: 'Not possible',
    body: html`<section class="card">
      <h1>${status === 404 ? 'Not found' : 'This can not be done'}</h1>
      <p class="alert bad" role="alert">${sentence(message)}</p>
      <p class="faint">Status ${status}.</p>
      ${backLink}
    </section>`,
    status,
  });

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
  redelivered: 'It is on its way again. Load the page again to see how it went.',
};

/** The result of the previous form; shown once. */
export function noticeOf({ env, session: { id, notice } }: Visit): PortalNotice | undefined {
  if (!notice) return undefined;
  env.webhook_portal_sessions.update(id, { notice: undefined });
  if (notice.told === 'sent') return sent(notice);
  return { kind: 'good', text: TEXTS[notice.told] };
}

function sent({ about = '', count = 0 }: NoticeKey): PortalNotice {
  if (count === 0) return { kind: 'note', text: `${about} happened, and no endpoint receives it.` };
  const where = count === 1 ? 'one endpoint' : `${count} endpoints`;
  return {
    kind: 'good',
    text: `${about} is on its way to ${where}. Load the page again to see how it went.`,
  };
}
