import type { World } from '../../world/world.ts';
import { askInterceptors } from '../interceptors/ask.ts';
import { connectionDetails } from '../interceptors/connection-details.ts';
import { ownClaims } from '../interceptors/own-claims.ts';
import { toldMemberships, toldName, toldTimes, toldUser } from '../interceptors/told-user.ts';
import { whereabouts } from '../interceptors/whereabouts.ts';
import type { Transaction } from './transaction.ts';

interface SignedIn {
  transaction: Transaction & { user_id: string };
  /** Through which the user has proved who they are. */
  connection_ids: readonly string[];
}

/**
 * Asks whether the user may have tokens of a session; what interceptors add to the access token, if anything. Throws
 * `InterceptorDenial`. Unverified: they are asked each time a sign-in ends with a code, also where its session goes on.
 */
export function consentToSession(world: World, signedIn: SignedIn): Record<string, unknown> | undefined {
  if (signedIn.transaction.session_id === undefined) consentToUser(world, signedIn);
  const { claims } = askInterceptors(world, 'PRE_SESSION_CREATION', () => ({
    context: contextOf(world, signedIn),
    data: { user: sessionUser(world, signedIn) },
  }));
  const custom = ownClaims(claims ?? {});
  return Object.keys(custom).length > 0 ? custom : undefined;
}

/** Unverified: the service does not document this trigger point any more. Whoever goes on with a session is known. */
function consentToUser(world: World, signedIn: SignedIn): void {
  askInterceptors(world, 'POST_USER_AUTHENTICATION', () => ({
    context: contextOf(world, signedIn),
    data: { user: authenticatedUser(world, signedIn) },
  }));
}

function contextOf(world: World, { transaction, connection_ids }: SignedIn) {
  const { user_id, organization_id, device } = transaction;
  return {
    user_id,
    user_email: world.users.get(user_id).email,
    ...(organization_id && { organization_id }),
    connection_details: connectionDetails(world, connection_ids),
    ...whereabouts(device),
  };
}

function sessionUser(world: World, { transaction }: SignedIn) {
  const user = world.users.get(transaction.user_id);
  const { given_name: first_name, family_name: last_name } = user.user_profile;
  return {
    ...toldUser(user),
    name: toldName(user),
    ...toldTimes(user),
    ...(first_name && { first_name }),
    ...(last_name && { last_name }),
    memberships: toldMemberships(world, user),
  };
}

function authenticatedUser(world: World, { transaction: { user_id, identity } }: SignedIn) {
  const user = world.users.get(user_id);
  return {
    ...toldUser(user),
    memberships: toldMemberships(world, user),
    custom_attributes: { ...user.user_profile.custom_attributes },
    raw_attributes: { ...identity?.attributes },
  };
}
