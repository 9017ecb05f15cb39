import type { InterceptorEffects } from '../../contract/types.ts';
import type { Env, Rows } from '../../state/env.ts';
import { failedPrecondition, notFound } from '../../errors.ts';
import { refusalOf } from '../refusals.ts';
import { admit, findMembership, refuseWithoutSeat, roleIds } from '../users/admission.ts';

type Organization = Rows['organizations'];

/** The place that an interceptor wants for the user. */
export type WantedMembership = NonNullable<
  InterceptorEffects<'PRE_SIGNUP'>['create_organization_membership']
>;

/** An existing organization that the user joins instead of creating one. */
export interface ChosenOrganization {
  organization: Organization | undefined;
  roles: { name: string }[];
  /** Why the user cannot join. */
  flaw: string | undefined;
}

/** `userId` is undefined for somebody without a user record. */
export function chosenOrganization(
  env: Env,
  userId: string | undefined,
  wanted: WantedMembership,
): ChosenOrganization {
  const roles = (wanted.roles ?? []).map((name) => ({ name }));
  const organization = organizationOf(env, wanted);
  const flaw = refusalOf(() => {
    if (!organization) throw notFound('organization', nameOf(wanted));
    roleIds(env, organization.id, roles);
    refuseUnlessFree(env, organization, userId);
  });
  return { organization, roles, flaw };
}

const nameOf = ({ organization_id, external_organization_id = '' }: WantedMembership) =>
  organization_id ?? external_organization_id;

function organizationOf(env: Env, wanted: WantedMembership): Organization | undefined {
  const { organization_id } = wanted;
  return organization_id
    ? env.organizations.find(organization_id)
    : env.organizations.findBy('external_id', nameOf(wanted));
}

function refuseUnlessFree(env: Env, organization: Organization, userId: string | undefined): void {
  const status = userId && findMembership(env, organization.id, userId)?.membership_status;
  if (status === 'INACTIVE') throw failedPrecondition(`${userId} is switched off in ${organization.id}`);
  if (!status || status === 'INVITE_EXPIRED') refuseWithoutSeat(env, organization);
}

/**
 * Adds the user to the organization. Unverified (interceptors/invited-user-in-organization): this accepts a pending
 * invitation.
 */
export function joinChosenOrganization(
  env: Env,
  { organization, roles }: ChosenOrganization,
  user_id: string,
) {
  const { id: organization_id } = organization!;
  const membership = findMembership(env, organization_id, user_id);
  if (!membership)
    admit(env, {
      organization: organization!,
      user: env.users.get(user_id),
      wanted: { roles },
      invited: false,
    });
  else {
    const now = env.clock.iso();
    const { membership_status, accepted_at = now, join_time = now } = membership;
    if (membership_status !== 'ACTIVE') env.decidedBy('interceptors/invited-user-in-organization');
    env.memberships.update(membership.id, {
      ...(membership_status !== 'ACTIVE' && { membership_status: 'ACTIVE', accepted_at, join_time }),
      ...(roles.length > 0 && { role_ids: roleIds(env, organization_id, roles) }),
    });
  }
  return { user_id, organization_id };
}
