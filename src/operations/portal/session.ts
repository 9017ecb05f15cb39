import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { Redirect, type CustomReply } from '../custom-reply.ts';
import { withEnvironmentName } from '../environment-prefix.ts';
import { writeCookie } from '../sign-in/device.ts';
import { failurePage } from './failure-page.ts';

export type PortalSession = Rows['portal_sessions'];
export type NoticeKey = NonNullable<PortalSession['notice']>;

/** The cookie that the portal reads. */
export interface PortalCookies {
  understudy_portal?: string | undefined;
}

const HOUR = 3_600_000;
const LIFETIME = 6 * HOUR;

/** Starts the session of a portal link. */
export function beginSession(
  env: Env,
  { organization_id, features }: Pick<PortalSession, 'organization_id' | 'features'>,
): PortalSession {
  return env.portal_sessions.insert({
    id: env.draw.id('psn'),
    token: withEnvironmentName(env, env.draw.text(40)),
    csrf_token: env.draw.text(32),
    organization_id,
    features,
    created_at: env.clock.iso(),
    expires_at: env.clock.after(LIFETIME),
    notice: { told: 'opened' },
  });
}

/** The browser's portal session, ended or not. */
export const findSession = (env: Env, { understudy_portal }: PortalCookies): PortalSession | undefined =>
  understudy_portal ? env.portal_sessions.findBy('token', understudy_portal) : undefined;

const SUFFIX = '_p';

/** Opens a portal link once and gives the browser a session. The token is that of the address. */
export function openPortalLink(env: Env, token: string): CustomReply {
  const link = env.portal_links.findBy('token', token.slice(0, -SUFFIX.length));
  if (!link) return failurePage(env, 'unknown');
  if (link.used_at !== undefined) return failurePage(env, 'used');
  if (env.clock.isPast(link.expire_time)) return failurePage(env, 'expired');
  env.portal_links.update(link.id, { used_at: env.clock.iso() });
  const session = beginSession(env, link);
  const cookie = writeCookie(env, 'understudy_portal', session.token, {
    path: '/portal',
    embeddable: true,
  });
  return new Redirect(`${env.baseUrl}/portal`, { cookies: [cookie] });
}
