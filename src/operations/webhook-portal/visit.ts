import type { Env } from '../../state/env.ts';
import type { CustomReply, Operations } from '../handler.ts';
import { redirectWithCookie } from '../hosted/browser.ts';
import { showPortalFailure, type PortalFailure, handlePortal } from '../hosted/portal.ts';
import { refusalPage } from './portal-page.ts';
import {
  findSession,
  PORTAL,
  type NoticeKey,
  type PortalCookies,
  type Visit,
  beginSession,
} from './session.ts';

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
