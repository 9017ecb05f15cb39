import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { carrying } from '../environment-mark.ts';
import type { UserGrant } from './user-grant.ts';

type RefreshToken = Rows['refresh_tokens'];

interface Ancestry {
  /** Absent: the first of a family. */
  family_id?: string;
  without_secret?: boolean | undefined;
}

/** A new refresh token of what was granted. */
export function drawRefreshToken(
  world: World,
  grant: UserGrant,
  { family_id, without_secret }: Ancestry,
): RefreshToken {
  const id = world.draw.id('rtok');
  const { client_id, scopes, subject, connection_ids } = grant;
  const { user_id, session_id, organization_id, identity, resource, custom_claims } = grant;
  return world.refresh_tokens.insert({
    id,
    token: carrying(world, `rt_${world.draw.text(40)}`),
    family_id: family_id ?? id,
    client_id,
    scopes,
    subject,
    connection_ids,
    created_at: world.clock.iso(),
    ...(user_id && { user_id }),
    ...(session_id && { session_id }),
    ...(organization_id && { organization_id }),
    ...(identity && { identity }),
    ...(resource && { resource }),
    ...(custom_claims && { custom_claims }),
    ...(without_secret && { without_secret }),
  });
}

/** None of the family can be used any more. */
export function revokeFamily(world: World, family_id: string | undefined): void {
  const family = family_id ? world.refresh_tokens.list('family_id', family_id) : [];
  const revoked_at = world.clock.iso();
  for (const { id, ...token } of family)
    if (!token.revoked_at) world.refresh_tokens.update(id, { revoked_at });
}
