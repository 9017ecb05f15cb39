import { rowNamed } from '../../contract/cause.ts';
import type { Env, Rows } from '../../state/env.ts';
import { failedPrecondition } from '../../contract/errors.ts';
import { defaultMemberRole, requestedRole, type RoleKey } from '../roles/role-lookup.ts';
import { drawInvitationToken, mailInvitation, type Inviter } from './invitation-mail.ts';

type Membership = Rows['memberships'];

interface WantedMembership {
  roles?: RoleKey[];
  metadata?: Record<string, string>;
  inviter_email?: string;
}

interface Admission {
  organization: Rows['organizations'];
  user: Rows['users'];
  wanted: WantedMembership;
  /** Who invites the user, who must accept first; `false`: the membership is active at once. */
  invited: Inviter | false;
}

const MINUTE = 60_000;

/** Adds a member or invites one; both take a seat. */
export function admit(env: Env, { organization, user, wanted, invited }: Admission): Membership {
  refuseWithoutSeat(env, organization);
  const { inviter_email, metadata = {} } = wanted;
  const membership = env.memberships.insert({
    id: env.draw.id('mem'),
    organization_id: organization.id,
    user_id: user.id,
    role_ids: roleIds(env, organization.id, wanted.roles),
    metadata,
    resent_count: 0,
    ...(inviter_email && { inviter_email }),
    ...(invited ? pendingMembership(env) : activeMembership(env)),
  });
  if (invited) mailInvitation(env, 'invitation', { organization, user, membership, inviter: invited });
  else verifyEmail(env, user);
  return membership;
}

/** A member who needs no invitation counts as the owner of the address. */
function verifyEmail(env: Env, { id, user_profile }: Rows['users']): void {
  if (user_profile.email_verified) return;
  env.users.update(id, { user_profile: { ...user_profile, email_verified: true } });
}

/** Unverified (users/invitations-without-expiry): without an expiry in the settings, invitations do not expire. */
function pendingMembership(env: Env) {
  const minutes = env.settings.get('settings').invitation_expiry;
  if (minutes === 0) env.decidedBy('users/invitations-without-expiry');
  return {
    membership_status: 'PENDING_INVITE',
    provisioning_method: 'invitation',
    invitation_token: drawInvitationToken(env),
    created_at: env.clock.iso(),
    ...(minutes > 0 && { expires_at: env.clock.after(minutes * MINUTE) }),
  } as const;
}

const activeMembership = (env: Env) =>
  ({
    membership_status: 'ACTIVE',
    provisioning_method: 'direct_provision',
    join_time: env.clock.iso(),
  }) as const;

/** Ids of roles given by id or name, or of the default member role. Throws for unknown roles. */
export function roleIds(env: Env, organizationId: string, wanted: readonly RoleKey[] = []): string[] {
  const standard = wanted.length === 0 && defaultMemberRole(env, organizationId);
  if (standard) return [standard.id];
  return [...new Set(wanted.map((key) => requestedRole(env, organizationId, key).id))];
}

export const findMembership = (
  env: Env,
  organizationId: string,
  userId: string,
): Rows['memberships'] | undefined => env.memberships.findBy('seat', `${organizationId} ${userId}`);

/** Throws if all seats of the organization are taken (Scalekit docs, User management settings). */
export function refuseWithoutSeat(
  env: Env,
  { id, max_allowed_users: seats = 0 }: Rows['organizations'],
): void {
  if (seats === 0 || env.memberships.count('seated_in', id) < seats) return;
  // Unverified (users/organization-is-full): the docs state the limit but not the error.
  throw failedPrecondition(`organization ${id} may have no more than ${seats} users`, {
    rows: [rowNamed('organizations', { id })],
    leads: ['OrganizationService_UpsertUserManagementSettings', 'UserService_DeleteMembership'],
  }).decidedBy('users/organization-is-full');
}
