import type { Env, Rows } from '../../state/env.ts';
import { withEnvironmentName } from '../../text/issued-code.ts';
import { newPortalSession } from '../hosted/portal.ts';

export type PortalLink = Rows['webhook_portal_links'];
export type PortalSession = Rows['webhook_portal_sessions'];
export type NoticeKey = NonNullable<PortalSession['notice']>;

/** The cookie that the portal reads. */
export interface PortalCookies {
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
export const findSession = (env: Env, { understudy_webhooks }: PortalCookies): PortalSession | undefined =>
  understudy_webhooks ? env.webhook_portal_sessions.findBy('token', understudy_webhooks) : undefined;

/** The path of the portal's pages. */
export const PORTAL = '/ui/webhooks';

/** One request of a developer who has opened a link. */
export interface Visit {
  env: Env;
  session: PortalSession;
}
