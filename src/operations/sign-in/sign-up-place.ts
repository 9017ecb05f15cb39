import { ApiError, failedPrecondition, notFound } from '../../errors.ts';
import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { admit, roleIds } from '../users/admission.ts';
import { findMembership, refuseWithoutSeat } from '../users/seats.ts';
import type { WantedPlace } from './sign-up-consent.ts';

type Organization = Rows['organizations'];

/** An organization that is there, for somebody who wanted one of their own. */
export interface Place {
  organization: Organization | undefined;
  roles: { name: string }[];
  /** Why they can not go there. */
  flaw: string | undefined;
}

/** `userId`: of somebody who is a user already. */
export function placeOf(world: World, userId: string | undefined, wanted: WantedPlace): Place {
  const roles = (wanted.roles ?? []).map((name) => ({ name }));
  const organization = organizationOf(world, wanted);
  const flaw = flawIn(() => {
    if (!organization) throw notFound('organization', nameOf(wanted));
    roleIds(world, organization.id, roles);
    refuseUnlessFree(world, organization, userId);
  });
  return { organization, roles, flaw };
}

const nameOf = ({ organization_id, external_organization_id = '' }: WantedPlace) =>
  organization_id ?? external_organization_id;

function organizationOf(world: World, wanted: WantedPlace): Organization | undefined {
  const { organization_id } = wanted;
  return organization_id
    ? world.organizations.find(organization_id)
    : world.organizations.findBy('external_id', nameOf(wanted));
}

function refuseUnlessFree(world: World, organization: Organization, userId: string | undefined): void {
  const status = userId && findMembership(world, organization.id, userId)?.membership_status;
  if (status === 'INACTIVE') throw failedPrecondition(`${userId} is switched off in ${organization.id}`);
  if (!status || status === 'INVITE_EXPIRED') refuseWithoutSeat(world, organization);
}

function flawIn(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown.message;
    throw thrown;
  }
}

/** They are a member from now on. Unverified: an invitation to it is accepted by that. */
export function takePlace(world: World, { organization, roles }: Place, user_id: string) {
  const { id: organization_id } = organization!;
  const membership = findMembership(world, organization_id, user_id);
  if (!membership)
    admit(world, {
      organization: organization!,
      user: world.users.get(user_id),
      wanted: { roles },
      invited: false,
    });
  else {
    const now = world.clock.iso();
    const { membership_status, accepted_at = now, join_time = now } = membership;
    world.memberships.update(membership.id, {
      ...(membership_status !== 'ACTIVE' && { membership_status: 'ACTIVE', accepted_at, join_time }),
      ...(roles.length > 0 && { role_ids: roleIds(world, organization_id, roles) }),
    });
  }
  return { user_id, organization_id };
}
