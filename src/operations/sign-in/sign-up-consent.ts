import type { InterceptorEffects } from '../../contract/types.ts';
import type { Env } from '../../environment/env.ts';
import { askInterceptors, type Matter } from '../interceptors/ask.ts';
import {
  connectionDetails,
  toldName,
  toldTimes,
  toldUser,
  whereabouts,
} from '../interceptors/question-parts.ts';
import { placeOf, type Place } from './sign-up-place.ts';
import type { Transaction } from './transaction.ts';

export type WantedPlace = NonNullable<InterceptorEffects<'PRE_SIGNUP'>['create_organization_membership']>;

/**
 * Asks interceptors whether the user may create an organization; returns another place for the user if they
 * name one. Throws `InterceptorDenial`. Unverified: an unknown organization or role is a failure of the
 * interceptor.
 */
export function consentToSignUp(env: Env, transaction: Transaction, user_email: string): Place | undefined {
  const { user_id } = transaction;
  const place = (wanted: WantedPlace | null | undefined) =>
    wanted ? placeOf(env, user_id, wanted) : undefined;
  const effects = askInterceptors(env, 'PRE_SIGNUP', () => ({
    ...matterOf(env, transaction, user_email),
    flawOf: ({ create_organization_membership: wanted }) => place(wanted)?.flaw,
  }));
  return place(effects.create_organization_membership);
}

function matterOf(env: Env, transaction: Transaction, user_email: string): Matter<'PRE_SIGNUP'> {
  const { user_id, identity, device } = transaction;
  const auth_request = requestOf(transaction);
  return {
    context: {
      ...(user_id && { user_id }),
      user_email,
      connection_details: connectionDetails(env, identity?.connection_id ? [identity.connection_id] : []),
      ...(Object.keys(auth_request).length > 0 && { auth_request }),
      ...whereabouts(device),
    },
    data: user_id ? { user: knownUser(env, user_id) } : {},
  };
}

function requestOf(transaction: Transaction) {
  const { wanted_connection_id, wanted_organization_id, wanted_domain, login_hint, state } = transaction;
  return {
    ...(wanted_connection_id && { connection_id: wanted_connection_id }),
    ...(wanted_organization_id && { organization_id: wanted_organization_id }),
    ...(wanted_domain && { domain: wanted_domain }),
    ...(login_hint && { login_hint }),
    ...(state && { state }),
  };
}

function knownUser(env: Env, id: string) {
  const user = env.users.get(id);
  const { given_name, family_name } = user.user_profile;
  return {
    ...toldUser(user),
    name: toldName(user),
    ...toldTimes(user),
    ...(given_name && { given_name }),
    ...(family_name && { family_name }),
    metadata: { ...user.metadata },
    memberships: env.memberships
      .list('user_id', id)
      .map(({ organization_id, membership_status: status, role_ids, metadata }) => ({
        organization_id,
        status,
        roles: role_ids.map((role) => env.roles.get(role).name),
        metadata: { ...metadata },
        organization_name: env.organizations.get(organization_id).display_name,
      })),
  };
}
