import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { carrying } from '../environment-mark.ts';

export type PortalSession = Rows['portal_sessions'];
export type Notice = NonNullable<PortalSession['notice']>;

/** What the portal reads of a browser. */
export interface PortalCookies {
  understudy_portal?: string | undefined;
}

const HOUR = 3_600_000;
const LIFETIME = 6 * HOUR;

/** Begins the visit that a link is good for. */
export function beginSession(
  world: World,
  { organization_id, features }: Pick<PortalSession, 'organization_id' | 'features'>,
): PortalSession {
  return world.portal_sessions.insert({
    id: world.draw.id('psn'),
    token: carrying(world, world.draw.text(40)),
    csrf_token: world.draw.text(32),
    organization_id,
    features,
    created_at: world.clock.iso(),
    expires_at: world.clock.after(LIFETIME),
    notice: { told: 'opened' },
  });
}

/** The session that the browser has in the portal, be it over or not. */
export const findSession = (world: World, { understudy_portal }: PortalCookies): PortalSession | undefined =>
  understudy_portal ? world.portal_sessions.findBy('token', understudy_portal) : undefined;
