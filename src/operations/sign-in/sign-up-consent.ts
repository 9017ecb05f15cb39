import type { Env } from '../../environment/env.ts';
import { askInterceptors, type InterceptorSubject } from '../interceptors/ask.ts';
import { connectionDetails, userName, userTimes, userData, deviceData } from '../interceptors/call-data.ts';
import { chosenOrganization, type ChosenOrganization, type WantedMembership } from './chosen-organization.ts';
import type { Transaction } from './transaction.ts';

/**
 * Asks interceptors whether the user may create an organization; returns another place for the user if they
 * name one. Throws `InterceptorDenial`. Unverified: an unknown organization or role is a failure of the
 * interceptor.
 */
export function consentToSignUp(
  env: Env,
  transaction: Transaction,
  user_email: string,
): ChosenOrganization | undefined {
  const { user_id } = transaction;
  const place = (wanted: WantedMembership | null | undefined) =>
    wanted ? chosenOrganization(env, user_id, wanted) : undefined;
  const effects = askInterceptors(env, 'PRE_SIGNUP', () => ({
    ...subjectOf(env, transaction, user_email),
    flawOf: ({ create_organization_membership: wanted }) => place(wanted)?.flaw,
  }));
  return place(effects.create_organization_membership);
}

function subjectOf(env: Env, transaction: Transaction, user_email: string): InterceptorSubject<'PRE_SIGNUP'> {
  const { user_id, identity, device } = transaction;
  const auth_request = requestOf(transaction);
  return {
    context: {
      ...(user_id && { user_id }),
      user_email,
      connection_details: connectionDetails(env, identity?.connection_id ? [identity.connection_id] : []),
      ...(Object.keys(auth_request).length > 0 && { auth_request }),
      ...deviceData(device),
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
    ...userData(user),
    name: userName(user),
    ...userTimes(user),
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
