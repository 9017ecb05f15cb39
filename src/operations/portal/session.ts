import type { Env, Rows } from '../../state/env.ts';
import { newPortalSession } from '../hosted/portal.ts';

export type PortalSession = Rows['portal_sessions'];
export type NoticeKey = NonNullable<PortalSession['notice']>;

/** The cookie that the portal reads. */
export interface PortalCookies {
  understudy_portal?: string | undefined;
}

/** One request of an administrator, with the organization and the features that it may see. */
export interface Visit {
  env: Env;
  session: PortalSession;
  organization: Rows['organizations'];
  features: ReadonlySet<Feature>;
}

export type Feature = PortalSession['features'][number];

const HOUR = 3_600_000;
const LIFETIME = 6 * HOUR;

/** Starts the session of a portal link. */
export function beginSession(
  env: Env,
  { organization_id, features }: Pick<PortalSession, 'organization_id' | 'features'>,
): PortalSession {
  return env.portal_sessions.insert({
    ...newPortalSession(env, 'psn'),
    organization_id,
    features,
    expires_at: env.clock.after(LIFETIME),
    notice: { told: 'opened' },
  });
}

/** The browser's portal session, ended or not. */
export const findSession = (env: Env, { understudy_portal }: PortalCookies): PortalSession | undefined =>
  understudy_portal ? env.portal_sessions.findBy('token', understudy_portal) : undefined;
