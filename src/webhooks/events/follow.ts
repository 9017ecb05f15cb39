import type { Collection } from '../../state/env.ts';
import type { Consequence } from '../../state/units-of-work.ts';
import { recordEvent, type NewEvent, UnitChanges, type ChangeOf } from './event.ts';
import { accountEvents, connectionEvents, magicLinkEvents } from './connection-events.ts';
import { directoryEvents, directoryGroupEvents, directoryUserEvents } from './directory-members.ts';
import { membershipEvents, sessionEvents, signInEvents } from './users.ts';
import { domainEvents, organizationEvents, permissionEvents, roleEvents } from './organizations.ts';

/** The order of the events is the order of the changes. */
const EVENTS_OF_CHANGES: {
  readonly [C in Collection]?: (change: ChangeOf<C>, unit: UnitChanges) => NewEvent[];
} = {
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

/** Records the events that a unit of work causes, as part of that unit, whoever changed the rows. */
export const recordCausedEvents: Consequence = {
  collections: new Set(Object.keys(EVENTS_OF_CHANGES) as Collection[]),
  onSetUp: false,

  *apply(env, changes) {
    const unit = new UnitChanges(env, changes);
    for (const change of changes) {
      const cause = EVENTS_OF_CHANGES[change.collection] as
        ((change: object, unit: UnitChanges) => NewEvent[]) | undefined;
      if (!cause || !unit.isDirectChange(change)) continue;
      yield;
      for (const event of cause(change, unit)) recordEvent(env, event);
    }
  },
};
