import { OAuthError } from '../../errors.ts';
import type { World } from '../../world/world.ts';
import { membershipOf } from './standing.ts';
import type { UserGrant } from './user-grant.ts';

/** Nothing comes of what was granted once the session is over or the user is no member any more. */
export function refuseEnded(world: World, grant: UserGrant): void {
  const { session_id, organization_id, user_id } = grant;
  const session = session_id ? world.sessions.find(session_id) : undefined;
  if (session && session.status !== 'active')
    throw new OAuthError('invalid_grant', `session ${session.id} is ${session.status}`);
  if (!user_id || !organization_id) return;
  const status = membershipOf(world, grant)?.membership_status;
  // Unverified: the service does not say what becomes of the tokens of a member who has left.
  if (status === undefined || status === 'INACTIVE')
    throw new OAuthError('invalid_grant', `the user is no active member of ${organization_id}`);
}
