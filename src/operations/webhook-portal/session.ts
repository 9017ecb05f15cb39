import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { carrying } from '../environment-mark.ts';

export type PortalLink = Rows['webhook_portal_links'];
export type PortalSession = Rows['webhook_portal_sessions'];
export type Notice = NonNullable<PortalSession['notice']>;

/** What the portal reads of a browser. */
export interface PortalCookies {
  understudy_webhooks?: string | undefined;
}

const DAY = 86_400_000;
/** Unverified: the service says nothing of it; seven days is what its delivery engine gives where nobody says. */
const LIFETIME = 7 * DAY;

/** A new link to the portal. */
export const makeLink = (world: World): PortalLink =>
  world.webhook_portal_links.insert({
    id: world.draw.id('whl'),
    token: carrying(world, world.draw.uuid()),
    created_at: world.clock.iso(),
    expires_at: world.clock.after(LIFETIME),
  });

/** Begins a visit, which lasts as long as its link. */
export const beginSession = (world: World, { expires_at }: PortalLink): PortalSession =>
  world.webhook_portal_sessions.insert({
    id: world.draw.id('whs'),
    token: carrying(world, world.draw.text(40)),
    csrf_token: world.draw.text(32),
    created_at: world.clock.iso(),
    expires_at,
  });

/** The session that the browser has in the portal, be it over or not. */
export const findSession = (
  world: World,
  { understudy_webhooks }: PortalCookies,
): PortalSession | undefined =>
  understudy_webhooks ? world.webhook_portal_sessions.findBy('token', understudy_webhooks) : undefined;
