import { isDeepStrictEqual } from 'node:util';
import type { Rows } from '../../environment/rows/schema.ts';
import { organizationData } from './organizations.ts';
import type { NewEvent } from '../event-record.ts';
import { signInOf } from './sessions.ts';
import type { ChangeOf, UnitChanges } from './unit.ts';
import { userData } from './users.ts';

type Membership = Rows['memberships'];

/**
 * Unverified: an invited user becomes a member only when they accept. Deleting a user sends
 * organization_membership_deleted for each membership, since users have no deletion event.
 */
export function membershipEvents({ before, after }: ChangeOf<'memberships'>, unit: UnitChanges): NewEvent[] {
  const { organization_id, user_id } = (after ?? before)!;
  if (unit.removed('organizations', organization_id)) return [];
  const organization = unit.find('organizations', organization_id);
  const user = unit.find('users', user_id);
  if (!organization || !user) return [];
  const data = { organization: organizationData(organization), user: userData(user) };
  return typesOf(before, after, unit).map((type) => ({ type, organization_id, data, ...signInOf(unit) }));
}

function typesOf(before: Membership | undefined, after: Membership | undefined, unit: UnitChanges) {
  if (!after) return ['user.organization_membership_deleted'] as const;
  if (isInvitation(before, after)) return ['user.organization_invitation'] as const;
  // The event about the user goes before the event about the membership.
  if (isSignUp(before, after, unit)) return ['user.signup', 'user.organization_membership_created'] as const;
  if (!before || isAcceptance(before, after)) return ['user.organization_membership_created'] as const;
  // Unverified: an invitation that expires is an update, because its status in the API changes.
  if (isDeepStrictEqual(apiView(before), apiView(after))) return [];
  return ['user.organization_membership_updated'] as const;
}

/** The invitation was created or sent again. */
function isInvitation(before: Membership | undefined, after: Membership): boolean {
  if (after.membership_status !== 'PENDING_INVITE') return false;
  return before?.membership_status !== 'PENDING_INVITE' || before.resent_count !== after.resent_count;
}

const isAcceptance = (before: Membership, after: Membership) =>
  after.membership_status === 'ACTIVE' &&
  (before.membership_status === 'PENDING_INVITE' || before.membership_status === 'INVITE_EXPIRED');

/** Unverified: an existing user who creates an organization on the sign-up page has signed up, too. */
const isSignUp = (before: Membership | undefined, after: Membership, unit: UnitChanges) =>
  !before &&
  after.provisioning_method === 'org_creator' &&
  unit.created('organizations', after.organization_id);

const apiView = ({ invitation_token: _, proved_connection_ids: __, ...membership }: Membership) => membership;
