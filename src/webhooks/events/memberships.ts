import { isDeepStrictEqual } from 'node:util';
import type { Rows } from '../../environment/rows/schema.ts';
import { organizationData } from './organizations.ts';
import type { Happening } from '../event-record.ts';
import { signInOf } from './sessions.ts';
import type { ChangeOf, Unit } from './unit.ts';
import { userData } from './users.ts';

type Membership = Rows['memberships'];

/**
 * Unverified: who is invited has not become a member yet, so that is told when they accept. A user who is gone is told of
 * as no member of any organization any more, for there is no event of their own.
 */
export function membershipEvents({ before, after }: ChangeOf<'memberships'>, unit: Unit): Happening[] {
  const { organization_id, user_id } = (after ?? before)!;
  if (unit.removed('organizations', organization_id)) return [];
  const organization = unit.find('organizations', organization_id);
  const user = unit.find('users', user_id);
  if (!organization || !user) return [];
  const data = { organization: organizationData(organization), user: userData(user) };
  return typesOf(before, after, unit).map((type) => ({ type, organization_id, data, ...signInOf(unit) }));
}

function typesOf(before: Membership | undefined, after: Membership | undefined, unit: Unit) {
  if (!after) return ['user.organization_membership_deleted'] as const;
  if (isInvitation(before, after)) return ['user.organization_invitation'] as const;
  // A receiver hears of the person before it hears what they belong to.
  if (isSignUp(before, after, unit)) return ['user.signup', 'user.organization_membership_created'] as const;
  if (!before || isAcceptance(before, after)) return ['user.organization_membership_created'] as const;
  // Unverified: an invitation that has run out is told as a change, as its status in the API is.
  if (isDeepStrictEqual(shown(before), shown(after))) return [];
  return ['user.organization_membership_updated'] as const;
}

/** It was made, or sent again. */
function isInvitation(before: Membership | undefined, after: Membership): boolean {
  if (after.membership_status !== 'PENDING_INVITE') return false;
  return before?.membership_status !== 'PENDING_INVITE' || before.resent_count !== after.resent_count;
}

const isAcceptance = (before: Membership, after: Membership) =>
  after.membership_status === 'ACTIVE' &&
  (before.membership_status === 'PENDING_INVITE' || before.membership_status === 'INVITE_EXPIRED');

/** Unverified: a user who is there already and creates an organization on the page has signed up, too. */
const isSignUp = (before: Membership | undefined, after: Membership, unit: Unit) =>
  !before && after.provisioning_method === 'org_creator' && unit.made('organizations', after.organization_id);

/** What the API tells of it. */
const shown = ({ invitation_token: _, proved_connection_ids: __, ...membership }: Membership) => membership;
