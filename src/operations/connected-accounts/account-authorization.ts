import { ApiError, invalidArgument } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { insertAccount } from './account-creation.ts';
import { findAccount, type Selection } from './account-selection.ts';
import { confirmUser, pendingRequest, type WayBack } from './consent.ts';
import type { Operations } from '../handler.ts';
import { carrying } from '../environment-mark.ts';

type Account = Rows['connected_accounts'];

/** Unverified: the vendor documents no number; a newer SDK says one minute. */
const LINK_LIFETIME = 60_000;

/** Unverified: the service does not say whose the address in its example is; it looks like one of its own (1.9). */
const SUCCESS = '/connect/success';

/** How the end user of an account gives consent, and how the caller confirms who that was. */
export const accountAuthorization = {
  ConnectedAccountService_GetMagicLinkForConnectedAccount({ body }, world) {
    return createMagicLink(world, body);
  },

  ConnectedAccountService_VerifyConnectedAccountUser({ body }, world) {
    const request = pendingRequest(world, body.auth_request_id);
    if (request.identifier !== body.identifier) {
      throw new ApiError('permission_denied', 'identifier does not match the one of the auth request');
    }
    confirmUser(world, request);
    const { post_user_verify_redirect_url } = world.settings.get('settings');
    return { post_user_verify_redirect_url: post_user_verify_redirect_url ?? `${world.baseUrl}${SUCCESS}` };
  },
} satisfies Partial<Operations>;

/** Making a link leaves the account as it is; one that is not there yet begins with it. */
export function createMagicLink(world: World, wanted: Selection & WayBack) {
  const { state, user_verify_url } = wanted;
  const account = wanted.id
    ? world.connected_accounts.get(wanted.id)
    : (findAccount(world, wanted) ?? begin(world, wanted));
  const link = world.magic_links.insert({
    id: carrying(world, `${world.draw.uuid()}_o`),
    connected_account_id: account.id,
    expires_at: world.clock.after(LINK_LIFETIME),
    ...(state && { state }),
    ...(user_verify_url && { user_verify_url }),
  });
  return { link: `${world.baseUrl}/magicLink/${link.id}`, expiry: link.expires_at };
}

function begin(world: World, { connector = '', identifier, organization_id, user_id }: Selection): Account {
  if (!identifier) throw invalidArgument('identifier is required');
  return insertAccount(world, { connector, identifier, organization_id, user_id }, {});
}
