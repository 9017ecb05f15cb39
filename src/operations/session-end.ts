import type { Env, RowChange, Rows } from '../state/env.ts';
import type { Consequence } from '../state/units-of-work.ts';

type Membership = Rows['memberships'];
type Session = Rows['sessions'];

/** The user ends the session, for every application that shares it. */
export function signOut(env: Env, { id }: Session): void {
  const now = env.clock.iso();
  env.sessions.update(id, { status: 'logout', logout_at: now, updated_at: now });
}

/** Somebody else ends the session. */
export function revoke(env: Env, { id }: Session): Session {
  const now = env.clock.iso();
  return env.sessions.update(id, { status: 'revoked', expired_at: now, updated_at: now });
}

/**
 * Ends the sessions of users who are no longer active members: an identity provider has deactivated or removed them, an
 * administrator has removed them, or the organization was deleted. Unverified (sessions/former-members): only the
 * deletion of an organization is documented to end sessions.
 */
export const endSessionsOfFormerMembers: Consequence = {
  collections: new Set(['memberships']),
  onSetUp: false,

  *apply(env, changes) {
    for (const { collection, before, after } of changes) {
      if (collection !== 'memberships') continue;
      const membership = before as Membership | undefined;
      if (!isActive(membership) || isActive(after as Membership | undefined)) continue;
      yield;
      env.decidedBy('sessions/former-members');
      leave(env, membership!, changes);
    }
  },
};

const isActive = (membership: Membership | undefined) => membership?.membership_status === 'ACTIVE';

/**
 * A session ends if it is in this organization, or if the user is in no other. A session in another organization goes on,
 * without this one.
 */
function leave(env: Env, { user_id, organization_id }: Membership, changes: readonly RowChange[]): void {
  const isNowhere = !env.memberships.list('user_id', user_id).some(isActive);
  for (const session of env.sessions.list('user_id', user_id)) {
    if (session.status !== 'active') continue;
    const { authenticated_organizations: entered } = session;
    if (isNowhere || organizationOf(session, changes) === organization_id) revoke(env, session);
    else if (entered.includes(organization_id))
      env.sessions.update(session.id, {
        authenticated_organizations: entered.filter((id) => id !== organization_id),
      });
  }
}

/** A session forgets a deleted organization in the same unit of work. */
function organizationOf(session: Session, changes: readonly RowChange[]): string | undefined {
  const change = changes.find(({ collection, id }) => collection === 'sessions' && id === session.id);
  return (change?.before as Session | undefined)?.organization_id ?? session.organization_id;
}
