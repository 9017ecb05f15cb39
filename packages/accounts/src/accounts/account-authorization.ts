import { ApiError, invalidArgument, failedPrecondition } from '@understudy/core/contract/errors';
import type { Rows } from '@understudy/core/state/env';
import type { Env } from '@understudy/core/state/env';
import { withEnvironmentName } from '@understudy/text/issued-code';
import type { components } from '@understudy/core/contract/control.gen';
import type { Operations } from '@understudy/core/operations/handler';
import { insertAccount } from './account-creation.ts';
import { findAccount, type AccountSelection } from './account-selection.ts';
import {
  confirmUser,
  pendingRequest,
  type ReturnTarget,
  DENIED,
  failureNamed,
  grantAccess,
  storePendingCredentials,
  isByConsent,
  refuseAccess,
  verificationOf,
  verifyUrl,
  type AuthorizationResult,
} from './consent.ts';
import { viewAccount } from './account-list.ts';
import { givenDetails } from './credential-fields.ts';

type Account = Rows['connected_accounts'];

/** Unverified (connected-accounts/link-lifetime): the docs give no number; a newer SDK says one minute. */
export const MAGIC_LINK_LIFETIME = 60_000;

/**
 * Unverified (connected-accounts/success-page): the docs show such an address in an example and do not say whose page
 * it is.
 */
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
    return { post_user_verify_redirect_url: successPage(env) };
  },
} satisfies Partial<Operations>;

/** Where the user is sent at the end. */
export const successPage = ({ settings, baseUrl }: Env): string =>
  settings.get('settings').post_user_verify_redirect_url ?? `${baseUrl}${SUCCESS_PAGE}`;

/** Leaves an existing account as it is; creates the account if there is none. */
export function createMagicLink(env: Env, wanted: AccountSelection & ReturnTarget) {
  const { state, user_verify_url } = wanted;
  const account = wanted.id
    ? env.connected_accounts.get(wanted.id)
    : (findAccount(env, wanted) ?? begin(env, wanted));
  const link = env.magic_links.insert({
    id: withEnvironmentName(env, `${env.draw.uuid()}_o`),
    connected_account_id: account.id,
    expires_at: env.clock.after(MAGIC_LINK_LIFETIME),
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

type AccountAuthorization = components['schemas']['AccountAuthorization'];

/** Does in one call what the end user would do on the hosted pages. */
export function authorizeAccount(env: Env, id: string, wanted: AccountAuthorization) {
  const account = env.connected_accounts.get(id);
  refuseContradictions(wanted);
  const ending = performAuthorization(env, account, wanted, returnTarget(env, account, wanted.user_verify));
  const { location, auth_request_id, refusal } = ending;
  return {
    connected_account: viewAccount(env, ending.account),
    ...(location && { redirect: location }),
    ...(auth_request_id && { auth_request_id }),
    ...refusal,
  };
}

function performAuthorization(
  env: Env,
  account: Account,
  wanted: AccountAuthorization,
  way: ReturnTarget,
): AuthorizationResult {
  if (wanted.outcome === 'denied') return refuseAccess(env, account, DENIED, way);
  if (wanted.outcome === 'failed') return refuseAccess(env, account, failureNamed(wanted.error), way);
  const details = givenDetails(env, account, wanted.credentials);
  const verification = verificationOf(env, way);
  const isConfirmed = isByConsent(account) && verification !== 'off';
  if (!isConfirmed) return grantAccess(env, account, details, way);
  if (wanted.user_verify?.confirm) {
    const { auth_request_id } = storePendingCredentials(env, account, details);
    return confirmUser(env, pendingRequest(env, auth_request_id));
  }
  if (verification === 'custom' && !verifyUrl(env, way)) throw missingVerifyUrl();
  return grantAccess(env, account, details, way);
}

const missingVerifyUrl = () =>
  failedPrecondition(
    'user_verify.url: the application confirms the user, but neither a link of the account nor the settings have its address; give user_verify.url, or user_verify.confirm: true',
  );

function refuseContradictions({ outcome = 'granted', error, credentials }: AccountAuthorization): void {
  if (error !== undefined && outcome !== 'failed')
    throw invalidArgument(`error: only the outcome failed takes an error, not ${outcome}`);
  if (credentials !== undefined && outcome !== 'granted')
    throw invalidArgument(`credentials: only the outcome granted takes them, not ${outcome}`);
}

/** Uses up the latest open link. The caller's values override those of the link. */
function returnTarget(
  env: Env,
  { id }: Account,
  given: AccountAuthorization['user_verify'] = {},
): ReturnTarget {
  const open = env.magic_links
    .list('connected_account_id', id)
    .filter(({ used_at, expires_at }) => !used_at && !env.clock.isPast(expires_at));
  const link = open.at(-1);
  if (link) env.magic_links.update(link.id, { used_at: env.clock.iso() });
  return { user_verify_url: given.url ?? link?.user_verify_url, state: given.state ?? link?.state };
}
