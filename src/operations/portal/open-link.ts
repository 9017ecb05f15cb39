import type { World } from '../../world/world.ts';
import { Redirect, type Answer } from '../answer.ts';
import { writeCookie } from '../sign-in/cookies.ts';
import { failurePage } from './failure-page.ts';
import { beginSession } from './session.ts';

const SUFFIX = '_p';

/** Opens a portal link, once: the browser has a session of the portal from then on. The token is as in the address. */
export function openPortalLink(world: World, token: string): Answer {
  const link = world.portal_links.findBy('token', token.slice(0, -SUFFIX.length));
  if (!link) return failurePage(world, 'unknown');
  if (link.used_at !== undefined) return failurePage(world, 'used');
  if (world.clock.isPast(link.expire_time)) return failurePage(world, 'expired');
  world.portal_links.update(link.id, { used_at: world.clock.iso() });
  const session = beginSession(world, link);
  const cookie = writeCookie(world, 'understudy_portal', session.token, {
    path: '/portal',
    embeddable: true,
  });
  return new Redirect(`${world.baseUrl}/portal`, { cookies: [cookie] });
}
