import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { invalidArgument } from '../../errors.ts';
import { Redirect, type CustomReply } from '../custom-reply.ts';
import { withEnvironmentName } from '../environment-prefix.ts';
import { catchRefusal } from '../problem.ts';
import { failurePage } from './failure-page.ts';
import { refusalPage } from './frame.ts';

export type PortalLink = Rows['webhook_portal_links'];
export type PortalSession = Rows['webhook_portal_sessions'];
export type NoticeKey = NonNullable<PortalSession['notice']>;

/** The cookie that the portal reads. */
export interface PortalCookies {
  understudy_webhooks?: string | undefined;
}

const DAY = 86_400_000;
/** Unverified: the docs give no lifetime. Seven days is the default of the service's delivery provider. */
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
    id: env.draw.id('whs'),
    token: withEnvironmentName(env, env.draw.text(40)),
    csrf_token: env.draw.text(32),
    created_at: env.clock.iso(),
    expires_at,
  });

/** The browser's portal session, ended or not. */
export const findSession = (env: Env, { understudy_webhooks }: PortalCookies): PortalSession | undefined =>
  understudy_webhooks ? env.webhook_portal_sessions.findBy('token', understudy_webhooks) : undefined;

/** The path of the portal's pages. */
export const PORTAL = '/ui/webhooks';

/** One request of a developer who has opened a link. */
export interface Visit {
  env: Env;
  session: PortalSession;
}

/** Shows a page if there is a session, or else explains how to get one. */
export function withVisit(
  env: Env,
  cookies: PortalCookies,
  show: (visit: Visit) => CustomReply,
): CustomReply {
  const session = findSession(env, cookies);
  if (!session) return failurePage(env, 'closed');
  if (env.clock.isPast(session.expires_at)) return failurePage(env, 'over');
  const visit = { env, session };
  return catchRefusal(
    () => show(visit),
    (refusal) => refusalPage(visit, refusal),
  );
}

/** Like `withVisit`, and checks the CSRF token of the form. */
export const withSubmittedForm = (
  env: Env,
  cookies: PortalCookies,
  form: { csrf_token?: string } | undefined,
  change: (visit: Visit) => CustomReply,
): CustomReply =>
  withVisit(env, cookies, (visit) => {
    if (form?.csrf_token !== visit.session.csrf_token)
      throw invalidArgument('the form was not sent from its page: load the page again');
    return change(visit);
  });

/** Redirects to a page of the portal, which shows the notice. */
export function redirectTo({ env, session }: Visit, path: string, notice: NoticeKey): Redirect {
  env.webhook_portal_sessions.update(session.id, { notice });
  return new Redirect(`${env.baseUrl}${PORTAL}${path}`, { status: 303 });
}
