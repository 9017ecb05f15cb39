import { ApiError } from '../../errors.ts';
import type { World } from '../../world/world.ts';
import { Redirect } from '../answer.ts';
import { writeCookie } from '../sign-in/cookies.ts';
import { addressOf, beginAuthorization, type AccountCookies, type Authorization } from './authorization.ts';

/**
 * Takes the end user of a connected account to the third party. Unverified: the browser that has opened the link may
 * open it again until that has come to an end.
 */
export function openAccountLink(world: World, token: string, cookies: AccountCookies): Redirect {
  const link = world.magic_links.find(token);
  if (!link) throw new ApiError('not_found', 'nobody knows this link: ask for a new one');
  const begun = world.account_authorizations
    .list('magic_link_id', link.id)
    .find(
      ({ status, browser_secret }) => status === 'PENDING' && browser_secret === cookies.understudy_connect,
    );
  if (begun) return goOn(world, begun);
  if (link.used_at) throw new ApiError('gone', 'this link was used before: ask for a new one');
  if (world.clock.isPast(link.expires_at))
    throw new ApiError('gone', 'this link has expired: ask for a new one');
  world.magic_links.update(link.id, { used_at: world.clock.iso() });
  return goOn(world, beginAuthorization(world, link, cookies));
}

const goOn = (world: World, authorization: Authorization) =>
  new Redirect(`${world.baseUrl}${addressOf(authorization)}`, {
    cookies: [writeCookie(world, 'understudy_connect', authorization.browser_secret)],
  });
