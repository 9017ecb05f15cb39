import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { defaultMemberRole, wantedRole, type RoleKey } from '../roles/role-lookup.ts';
import { drawInvitationToken } from './invitation-link.ts';
import type { Inviter } from './invitation-consent.ts';
import { mailInvitation } from './invitation-mail.ts';
import { refuseWithoutSeat } from './seats.ts';

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
  /** Whose invitation is sent and must be accepted first; `false`: the membership is active at once. */
  invited: Inviter | false;
}

const MINUTE = 60_000;

/** Makes a user a member, or invites them: takes a seat either way. */
export function admit(world: World, { organization, user, wanted, invited }: Admission): Membership {
  refuseWithoutSeat(world, organization);
  const { inviter_email, metadata = {} } = wanted;
  const membership = world.memberships.insert({
    id: world.draw.id('mem'),
    organization_id: organization.id,
    user_id: user.id,
    role_ids: roleIds(world, organization.id, wanted.roles),
    metadata,
    resent_count: 0,
    ...(inviter_email && { inviter_email }),
    ...(invited ? invitation(world) : directly(world)),
  });
  if (invited) mailInvitation(world, 'invitation', { organization, user, membership, inviter: invited });
  else verifyEmail(world, user);
  return membership;
}

/** Who is let in without an invitation is taken for the owner of the address. */
function verifyEmail(world: World, { id, user_profile }: Rows['users']): void {
  if (user_profile.email_verified) return;
  world.users.update(id, { user_profile: { ...user_profile, email_verified: true } });
}

/** Unverified: where the settings have no expiry, an invitation has none. */
function invitation(world: World) {
  const minutes = world.settings.get('settings').invitation_expiry;
  return {
    membership_status: 'PENDING_INVITE',
    provisioning_method: 'invitation',
    invitation_token: drawInvitationToken(world),
    created_at: world.clock.iso(),
    ...(minutes > 0 && { expires_at: world.clock.after(minutes * MINUTE) }),
  } as const;
}

const directly = (world: World) =>
  ({
    membership_status: 'ACTIVE',
    provisioning_method: 'direct_provision',
    join_time: world.clock.iso(),
  }) as const;

/** Roles by id or name; none given: the default for members. An unknown one is refused. */
export function roleIds(world: World, organizationId: string, wanted: readonly RoleKey[] = []): string[] {
  const standard = wanted.length === 0 && defaultMemberRole(world, organizationId);
  if (standard) return [standard.id];
  return [...new Set(wanted.map((key) => wantedRole(world, organizationId, key).id))];
}
