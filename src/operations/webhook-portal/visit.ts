import type { Env, Rows } from '../../state/env.ts';
import type { CustomReply, Operations } from '../handler.ts';
import { redirectWithCookie } from '../hosted/browser.ts';
import { showPortalFailure, type PortalFailure, handlePortal, newPortalSession } from '../hosted/portal.ts';
import { refusalPage } from './portal-page.ts';
import { withEnvironmentName } from '../../text/issued-code.ts';

type PortalLink = Rows['webhook_portal_links'];
type PortalSession = Rows['webhook_portal_sessions'];
export type NoticeKey = NonNullable<PortalSession['notice']>;

/** The cookie that the portal reads. */
interface PortalCookies {
  understudy_webhooks?: string | undefined;
}

const DAY = 86_400_000;
/**
 * Unverified (webhooks/portal-link-lifetime): the docs give no lifetime. Seven days is the default of the service's
 * delivery provider.
 */
const LIFETIME = 7 * DAY;

export const makeLink = (env: Env): PortalLink =>
  env.webhook_portal_links.insert({
    id: env.draw.id('whl'),
    token: withEnvironmentName(env, env.draw.uuid()),
    created_at: env.clock.iso(),
    expires_at: env.clock.after(LIFETIME),
  });

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
