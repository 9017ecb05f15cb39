import { ApiError, invalidArgument } from '../../errors.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import { insertAccount } from './account-creation.ts';
import { findAccount, type AccountSelection } from './account-selection.ts';
import { confirmUser, pendingRequest, type ReturnTarget } from './consent.ts';
import type { Operations } from '../handler.ts';
import { withEnvironmentName } from '../../text/issued-code.ts';

type Account = Rows['connected_accounts'];

/** Unverified: the docs give no number; a newer SDK says one minute. */
const LINK_LIFETIME = 60_000;

/** Unverified: the docs show such an address in an example and do not say whose page it is. */
const SUCCESS_PAGE = '/connect/success';

/** Magic links, and the confirmation of the end user by the calling application. */
export const accountAuthorization = {
  ConnectedAccountService_GetMagicLinkForConnectedAccount({ body }, env) {
    return createMagicLink(env, body);
  },

  ConnectedAccountService_VerifyConnectedAccountUser({ body }, env) {
    const request = pendingRequest(env, body.auth_request_id);
    if (request.identifier !== body.identifier) {
      throw new ApiError('permission_denied', 'identifier does not match the one of the auth request');
    }
    confirmUser(env, request);
    const { post_user_verify_redirect_url } = env.settings.get('settings');
    return {
      post_user_verify_redirect_url: post_user_verify_redirect_url ?? `${env.baseUrl}${SUCCESS_PAGE}`,
    };
  },
} satisfies Partial<Operations>;

/** Leaves an existing account as it is; creates the account if there is none. */
export function createMagicLink(env: Env, wanted: AccountSelection & ReturnTarget) {
  const { state, user_verify_url } = wanted;
  const account = wanted.id
    ? env.connected_accounts.get(wanted.id)
    : (findAccount(env, wanted) ?? begin(env, wanted));
  const link = env.magic_links.insert({
    id: withEnvironmentName(env, `${env.draw.uuid()}_o`),
    connected_account_id: account.id,
    expires_at: env.clock.after(LINK_LIFETIME),
    ...(state && { state }),
    ...(user_verify_url && { user_verify_url }),
  });
  return { link: `${env.baseUrl}/magicLink/${link.id}`, expiry: link.expires_at };
}

function begin(
  env: Env,
  { connector = '', identifier, organization_id, user_id }: AccountSelection,
): Account {
  if (!identifier) throw invalidArgument('identifier is required');
  return insertAccount(env, { connector, identifier, organization_id, user_id }, {});
}
