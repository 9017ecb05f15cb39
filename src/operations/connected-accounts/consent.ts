import { ApiError } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { withQuery } from '../answer.ts';
import { tell } from './account-events.ts';
import { TOKEN_LIFETIME } from './credentials.ts';

type Account = Rows['connected_accounts'];
type Details = NonNullable<Account['authorization_details']>;

/** Where the calling application takes the end user back. */
export interface WayBack {
  state?: string | undefined;
  user_verify_url?: string | undefined;
}

/** Why an authorization came to nothing, in OAuth's words. */
export interface Refusal {
  error: string;
  error_description: string;
}

/** What has become of an authorization. */
export interface Ending {
  account: Account;
  /** Where the browser goes next; without it, it stays with us. */
  location?: string;
  /** Consent that waits for somebody to confirm whose account it is. */
  auth_request_id?: string;
  refusal?: Refusal;
}

/** Unverified: the lifetime of an auth request is not documented. */
const REQUEST_LIFETIME = 30 * 60_000;

/** The third party has given access. Whose account it is gets confirmed after OAuth alone (1.7, T6 to T8, T12). */
export function grantAccess(world: World, account: Account, details: Details, way: WayBack): Ending {
  const verification = verificationOf(world, way);
  if (!details.oauth_token || verification === 'off') return goLive(world, account, details);
  const url = verifyUrl(world, way);
  if (verification === 'custom' && !url) return refuseAccess(world, account, NO_WAY_BACK, way);
  const held = holdBack(world, account, details);
  if (verification === 'service') return held;
  const { auth_request_id } = held;
  return { ...held, location: withQuery(url, { auth_request_id, state: way.state || undefined }) };
}

/**
 * The third party has not given access; the account stays as it is. Unverified: an application that confirms users
 * itself hears of it where it would have done so.
 */
export function refuseAccess(world: World, account: Account, refusal: Refusal, way: WayBack): Ending {
  const isConfirmedElsewhere = isByConsent(account) && verificationOf(world, way) === 'custom';
  const url = isConfirmedElsewhere ? verifyUrl(world, way) : '';
  if (!url) return { account, refusal };
  return { account, refusal, location: withQuery(url, { ...refusal, state: way.state || undefined }) };
}

/** The request of that id, as long as it can be confirmed. */
export function pendingRequest(world: World, id: string): Rows['auth_requests'] {
  const request = world.auth_requests.find(id);
  if (!request || request.consumed || world.clock.isPast(request.expires_at))
    throw new ApiError('not_found', 'auth request not found or no longer valid');
  return request;
}

/** It is the right person: the account is active, with the credentials that were waiting. */
export function confirmUser(world: World, request: Rows['auth_requests']): Ending {
  const { authorization_details, token_expires_at } = request;
  const account = world.connected_accounts.get(request.connected_account_id);
  const verified = world.connected_accounts.update(account.id, {
    status: 'ACTIVE',
    updated_at: world.clock.iso(),
    ...(authorization_details && { authorization_details, token_expires_at, refresh_fails: undefined }),
  });
  world.auth_requests.update(request.id, { consumed: true });
  return ended(world, verified);
}

/** Whether an account is authorized by consent at the third party, or else with credentials that its user knows. */
export const isByConsent = ({ authorization_type }: Account) =>
  ['OAUTH', 'SMART_FHIR', 'TRELLO_OAUTH1'].includes(authorization_type);

/** Who confirms the user. The service has no `auto`: it lets a link without an address succeed. */
export function verificationOf(world: World, way: WayBack): 'off' | 'service' | 'custom' {
  const { user_verification } = world.settings.get('settings');
  if (user_verification !== 'auto') return user_verification;
  return verifyUrl(world, way) ? 'custom' : 'off';
}

/** The link's own address, or the one that all links have. */
export const verifyUrl = (world: World, { user_verify_url }: WayBack): string =>
  user_verify_url || (world.settings.get('settings').user_verify_url ?? '');

const NO_WAY_BACK: Refusal = {
  error: 'failed_to_exchange',
  error_description: 'user_verify_url not configured for verification redirect',
};

function goLive(world: World, account: Account, authorization_details: Details): Ending {
  const live = world.connected_accounts.update(account.id, {
    status: 'ACTIVE',
    updated_at: world.clock.iso(),
    authorization_details,
    refresh_fails: undefined,
    token_expires_at: authorization_details.oauth_token ? world.clock.after(TOKEN_LIFETIME) : undefined,
  });
  if (authorization_details.oauth_token) {
    tell(world, 'oauth_tokens_fetched', live);
    tell(world, 'oauth_succeeded', live);
  }
  return ended(world, live);
}

/** The credentials wait, and the account with them; those that it had are kept until then. */
export function holdBack(
  world: World,
  account: Account,
  authorization_details: Details,
): Ending & { auth_request_id: string } {
  const { id, identifier } = account;
  const request = world.auth_requests.insert({
    id: world.draw.text(40),
    connected_account_id: id,
    identifier,
    expires_at: world.clock.after(REQUEST_LIFETIME),
    consumed: false,
    authorization_details,
    token_expires_at: world.clock.after(TOKEN_LIFETIME),
  });
  const held = world.connected_accounts.update(id, {
    status: 'PENDING_VERIFICATION',
    updated_at: world.clock.iso(),
  });
  return { account: held, auth_request_id: request.id };
}

/** Unverified: where the settings say where users go after they were confirmed, all go there in the end. */
function ended(world: World, account: Account): Ending {
  const { post_user_verify_redirect_url: location } = world.settings.get('settings');
  return location ? { account, location } : { account };
}
