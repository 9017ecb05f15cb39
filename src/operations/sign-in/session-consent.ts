import type { Env } from '../../environment/env.ts';
import { askInterceptors } from '../interceptors/ask.ts';
import {
  connectionDetails,
  mergeCustomClaims,
  membershipData,
  userName,
  userTimes,
  userData,
  deviceData,
} from '../interceptors/call-data.ts';
import type { Transaction } from './transaction.ts';

interface SignedIn {
  transaction: Transaction & { user_id: string };
  /** The connections through which the user proved their identity. */
  connection_ids: readonly string[];
}

/**
 * Asks interceptors whether the user may get tokens; returns the claims that they add. Throws
 * `InterceptorDenial`. Unverified: they are asked at every sign-in that ends with a code, even if the session
 * continues.
 */
export function consentToSession(env: Env, signedIn: SignedIn): Record<string, unknown> | undefined {
  if (signedIn.transaction.session_id === undefined) consentToUser(env, signedIn);
  const { claims } = askInterceptors(env, 'PRE_SESSION_CREATION', () => ({
    context: contextOf(env, signedIn),
    data: { user: sessionUser(env, signedIn) },
  }));
  const custom = mergeCustomClaims(claims ?? {});
  return Object.keys(custom).length > 0 ? custom : undefined;
}

/**
 * Unverified: the current docs no longer describe this trigger point. It is skipped if a session continues.
 */
function consentToUser(env: Env, signedIn: SignedIn): void {
  askInterceptors(env, 'POST_USER_AUTHENTICATION', () => ({
    context: contextOf(env, signedIn),
    data: { user: authenticatedUser(env, signedIn) },
  }));
}

function contextOf(env: Env, { transaction, connection_ids }: SignedIn) {
  const { user_id, organization_id, device } = transaction;
  return {
    user_id,
    user_email: env.users.get(user_id).email,
    ...(organization_id && { organization_id }),
    connection_details: connectionDetails(env, connection_ids),
    ...deviceData(device),
  };
}

function sessionUser(env: Env, { transaction }: SignedIn) {
  const user = env.users.get(transaction.user_id);
  const { given_name: first_name, family_name: last_name } = user.user_profile;
  return {
    ...userData(user),
    name: userName(user),
    ...userTimes(user),
    ...(first_name && { first_name }),
    ...(last_name && { last_name }),
    memberships: membershipData(env, user),
  };
}

function authenticatedUser(env: Env, { transaction: { user_id, identity } }: SignedIn) {
  const user = env.users.get(user_id);
  return {
    ...userData(user),
    memberships: membershipData(env, user),
    custom_attributes: { ...user.user_profile.custom_attributes },
    raw_attributes: { ...identity?.attributes },
  };
}
