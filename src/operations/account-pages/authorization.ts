import { ApiError, invalidArgument, notFound } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { carrying } from '../environment-mark.ts';

export type Authorization = Rows['account_authorizations'];

/** What these pages read of a browser. */
export interface AccountCookies {
  /** Secret of the authorizations that it has begun. */
  understudy_connect?: string | undefined;
}

/** Unverified: the service says that there is a limit, and no number. */
const LIFETIME = 30 * 60_000;

/** Begins the authorization that a link is for; a browser that has begun one before keeps its secret. */
export function beginAuthorization(
  world: World,
  { id, connected_account_id, state, user_verify_url }: Rows['magic_links'],
  { understudy_connect: own }: AccountCookies,
): Authorization {
  return world.account_authorizations.insert({
    id: carrying(world, world.draw.id('cauth')),
    connected_account_id,
    magic_link_id: id,
    status: 'PENDING',
    browser_secret: own && /^[\w.-]{20,120}$/.test(own) ? own : carrying(world, world.draw.text(32)),
    csrf_token: world.draw.text(32),
    created_at: world.clock.iso(),
    expires_at: world.clock.after(LIFETIME),
    ...(state && { state }),
    ...(user_verify_url && { user_verify_url }),
  });
}

/** The authorization of this browser, be it over or not. */
export function authorizationOf(world: World, id: string, cookies: AccountCookies): Authorization {
  const authorization = world.account_authorizations.find(id);
  if (!authorization) throw notFound('authorization', id);
  if (authorization.browser_secret !== cookies.understudy_connect)
    throw new ApiError(
      'permission_denied',
      'invalid state: this was begun in another browser, ask for a new link',
    );
  return authorization;
}

/** As `authorizationOf`, as long as it is not over. */
export function openAuthorization(world: World, id: string, cookies: AccountCookies): Authorization {
  const authorization = authorizationOf(world, id, cookies);
  if (authorization.status === 'EXPIRED')
    throw new ApiError('gone', 'session expired or invalid: ask for a new link');
  if (authorization.status !== 'PENDING')
    throw new ApiError('gone', 'this authorization is over: ask for a new link to authorize once more');
  return authorization;
}

/** As `openAuthorization`, for a form: it must be one of ours. */
export function submittedAuthorization(
  world: World,
  id: string,
  cookies: AccountCookies,
  form: { csrf_token?: string } | undefined,
): Authorization {
  const authorization = openAuthorization(world, id, cookies);
  if (form?.csrf_token !== authorization.csrf_token)
    throw invalidArgument('the form was not sent from its page: load the page again');
  return authorization;
}

/** The page that an authorization goes on at. */
export const addressOf = ({ id }: Authorization) => `/ui/connect/${id}`;

/** The page that says how it went. */
export const outcomeAddressOf = (authorization: Authorization) => `${addressOf(authorization)}/done`;
