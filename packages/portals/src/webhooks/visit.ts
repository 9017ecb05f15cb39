import type { Env, Rows } from '@understudy/core/state/env';
import type { CustomReply, Operations } from '@understudy/core/operations/handler';
import { redirectWithCookie } from '@understudy/core/operations/hosted/browser';
import {
  showPortalFailure,
  type PortalFailure,
  handlePortal,
  newPortalSession,
  refusalContent,
  showPortalPage,
  type PortalPage,
} from '../portal.ts';
import type { ApiError } from '@understudy/core/contract/errors';
import { readableTime } from '@understudy/core/pages/controls';
import { html, type Html } from '@understudy/core/pages/html';

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

const refusalPage = (visit: Visit, refusal: ApiError): CustomReply =>
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

type PortalLink = Rows['webhook_portal_links'];
type PortalSession = Rows['webhook_portal_sessions'];
type NoticeKey = NonNullable<PortalSession['notice']>;

/** The cookie that the portal reads. */
interface PortalCookies {
  understudy_webhooks?: string | undefined;
}

/** Starts a session that lasts as long as its link. */
export const beginSession = (env: Env, { expires_at }: PortalLink): PortalSession =>
  env.webhook_portal_sessions.insert({
    ...newPortalSession(env, 'whs'),
    expires_at,
  });

/** The browser's portal session, ended or not. */
const findSession = (env: Env, { understudy_webhooks }: PortalCookies): PortalSession | undefined =>
  understudy_webhooks ? env.webhook_portal_sessions.findBy('token', understudy_webhooks) : undefined;

/** The path of the portal's pages. */
const PORTAL = '/ui/webhooks';

/** One request of a developer who has opened a link. */
export interface Visit {
  env: Env;
  session: PortalSession;
}

export const { withVisit, withSubmittedForm, redirectTo } = handlePortal<Visit, PortalCookies, NoticeKey>({
  path: PORTAL,
  findSession,
  visitOf: (env, session) => ({ env, session }),
  failurePage,
  refusalPage,
  storeNotice: ({ env, session }, notice) => env.webhook_portal_sessions.update(session.id, { notice }),
});

export const openLink = {
  WebhookPortal_Open({ path: { link_token } }, env) {
    const link = env.webhook_portal_links.findBy('token', link_token);
    if (!link) return failurePage(env, 'unknown');
    if (env.clock.isPast(link.expires_at)) return failurePage(env, 'expired');
    return redirectWithCookie(env, `${env.baseUrl}${PORTAL}`, {
      name: 'understudy_webhooks',
      value: beginSession(env, link).token,
      path: PORTAL,
      embeddable: true,
    });
  },
} satisfies Partial<Operations>;

const ANOTHER = 'GET /api/v1/webhooks/portal-url gives a new one.';

const FAILURES: Readonly<Record<'unknown' | 'expired' | 'closed' | 'over', PortalFailure>> = {
  unknown: {
    status: 404,
    title: 'Unknown link',
    text: `It may have been copied in part. ${ANOTHER}`,
  },
  expired: {
    status: 410,
    title: 'This link has expired',
    text: `A link is valid for seven days. ${ANOTHER}`,
  },
  /** Also shown at the start of a visit if the browser blocks cookies in frames. */
  closed: {
    status: 401,
    title: 'No session is open in this browser',
    text: 'Open a link to the webhook portal: GET /api/v1/webhooks/portal-url gives one.',
  },
  over: {
    status: 401,
    title: 'Your session is over',
    text: `It ended when the link that started it expired. ${ANOTHER}`,
  },
};

/** Explains why the portal does not open. */
function failurePage(env: Env, why: keyof typeof FAILURES): CustomReply {
  const failure = FAILURES[why];
  return showPortalFailure(env, failure, { windowTitle: `${failure.title} · Webhooks` });
}
