import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import { effectivePermissions } from '../roles/role-lookup.ts';

type GrantOwner = Pick<Rows['refresh_tokens'], 'user_id' | 'organization_id'>;

/** The user's current role and permissions in their organization. */
export interface CurrentClaims {
  roles: string[];
  permissions: string[];
  external_organization_id?: string | undefined;
  external_user_id?: string | undefined;
}

export function currentClaims(env: Env, whose: GrantOwner): CurrentClaims {
  const { user_id, organization_id } = whose;
  const held = (membershipOf(env, whose)?.role_ids ?? []).map((id) => env.roles.get(id));
  return {
    roles: held.map(({ name }) => name),
    permissions: effectivePermissions(env, held),
    external_organization_id: organization_id && env.organizations.find(organization_id)?.external_id,
    external_user_id: user_id && env.users.find(user_id)?.external_id,
  };
}

export function membershipOf(
  env: Env,
  { user_id, organization_id }: GrantOwner,
): Rows['memberships'] | undefined {
  if (!user_id || !organization_id) return undefined;
  return env.memberships.list('user_id', user_id).find((each) => each.organization_id === organization_id);
}
