import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { carrying } from '../environment-mark.ts';
import { revokeAccessToken, type IssuedToken } from './revoked-tokens.ts';
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

/** None of the family can be used any more. Access tokens that it gave stay good until they expire. */
export function revokeFamily(world: World, family_id: string | undefined): void {
  const revoked_at = world.clock.iso();
  for (const { id, ...token } of familyOf(world, family_id))
    if (!token.revoked_at) world.refresh_tokens.update(id, { revoked_at });
}

interface Stolen extends Pick<RefreshToken, 'client_id'> {
  family_id?: string;
  issued_token?: IssuedToken;
}

/**
 * Ends all that came of a code or of a refresh token that was sent a second time: it may be stolen, and so may be every
 * token that it gave (RFC 6749 4.1.2, RFC 9700 4.14.2).
 */
export function endStolen(world: World, { family_id, client_id, issued_token }: Stolen): void {
  revokeFamily(world, family_id);
  const issued = [issued_token, ...familyOf(world, family_id).map((token) => token.issued_token)];
  for (const token of issued) if (token) revokeAccessToken(world, token, client_id);
}

const familyOf = (world: World, family_id: string | undefined): RefreshToken[] =>
  family_id ? world.refresh_tokens.list('family_id', family_id) : [];
