import type { RowChange, Env } from '../../environment/env.ts';
import type { Collection } from '../../environment/rows/schema.ts';
import { recordEvent, type Happening } from '../event-record.ts';
import { accountEvents, magicLinkEvents } from './connected-accounts.ts';
import { connectionEvents } from './connections.ts';
import { directoryEvents, directoryGroupEvents, directoryUserEvents } from './directory-members.ts';
import { membershipEvents } from './memberships.ts';
import { domainEvents, organizationEvents } from './organizations.ts';
import { permissionEvents, roleEvents } from './roles.ts';
import { sessionEvents, signInEvents } from './sessions.ts';
import { Unit, type ChangeOf } from './unit.ts';

/** What changes of rows mean to the outside, in the order in which it is told. */
const CAUSES: { readonly [C in Collection]?: (change: ChangeOf<C>, unit: Unit) => Happening[] } = {
  organizations: organizationEvents,
  domains: domainEvents,
  directories: directoryEvents,
  directory_users: directoryUserEvents,
  directory_groups: directoryGroupEvents,
  connections: connectionEvents,
  roles: roleEvents,
  permissions: permissionEvents,
  memberships: membershipEvents,
  sessions: sessionEvents,
  login_transactions: signInEvents,
  connected_accounts: accountEvents,
  magic_links: magicLinkEvents,
};

/** Collections whose changes cause something: events, calls to applications, the end of a log. */
export const CAUSING: ReadonlySet<Collection> = new Set(Object.keys(CAUSES) as Collection[]);

/**
 * Records the events that a unit of work causes, as part of it, whoever made the changes: a call, a person on a page, a
 * rule of a scenario, or time alone.
 */
export function recordCaused(env: Env, changes: readonly RowChange[]): void {
  const unit = new Unit(env, changes);
  for (const change of changes) {
    const cause = CAUSES[change.collection] as ((change: object, unit: Unit) => Happening[]) | undefined;
    if (!cause || !unit.isOwn(change)) continue;
    for (const happening of cause(change, unit)) recordEvent(env, happening);
  }
}
