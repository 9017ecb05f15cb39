import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { findMembership } from '../users/seats.ts';

type Token = Rows['api_tokens'];

/** Whose the token is and what it carries; never its value. */
export function viewToken(world: World, token: Token) {
  const { id, organization_id, custom_claims, created_at, description, expiry } = token;
  return {
    token_id: id,
    organization_id,
    organization_external_id: world.organizations.get(organization_id).external_id ?? '',
    custom_claims,
    created_at,
    token_suffix: token.token.slice(-4),
    ...(description && { description }),
    ...(expiry && { expiry }),
    ...viewUser(world, token),
  };
}

function viewUser(world: World, { organization_id, user_id }: Token) {
  const user = user_id ? world.users.find(user_id) : undefined;
  if (!user) return { roles: [] };
  const membership = findMembership(world, organization_id, user.id);
  return {
    user_id: user.id,
    ...(user.external_id && { user_external_id: user.external_id }),
    email: user.email,
    roles: (membership?.role_ids ?? []).map((id) => world.roles.get(id).name),
  };
}
