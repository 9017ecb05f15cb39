import type { components } from '../../contract/control.gen.ts';
import type { Env } from '../../environment/env.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import { failedPrecondition, invalidArgument } from '../../errors.ts';
import { viewAccount } from './account-list.ts';
import {
  confirmUser,
  DENIED,
  failureNamed,
  grantAccess,
  storePendingCredentials,
  isByConsent,
  pendingRequest,
  refuseAccess,
  verificationOf,
  verifyUrl,
  type AuthorizationResult,
  type ReturnTarget,
} from './consent.ts';
import { givenDetails } from './credential-fields.ts';

type Account = Rows['connected_accounts'];
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
