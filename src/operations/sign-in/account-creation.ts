import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { insertUser } from '../users/users.ts';
import { consentToSignUp } from './sign-up-consent.ts';
import { takePlace } from './sign-up-place.ts';
import type { Transaction } from './transaction.ts';

type WantedSignUp = NonNullable<Transaction['sign_up']>;

/**
 * An organization of their own for who signs up, and a user where there is none; or the place in another organization
 * that interceptors have for them. Throws `InterceptorDenial`: then there is neither.
 */
export function createAccount(world: World, transaction: Transaction, wanted: WantedSignUp) {
  const place = consentToSignUp(world, transaction, wanted.email);
  const user_id = transaction.user_id ?? createUser(world, wanted);
  return place
    ? takePlace(world, place, user_id)
    : createOrganization(world, user_id, wanted.organization_name);
}

function createUser(world: World, { email, given_name, family_name }: WantedSignUp): string {
  const user = insertUser(world, {
    email,
    user_profile: { ...(given_name && { given_name }), ...(family_name && { family_name }) },
  });
  world.users.update(user.id, { user_profile: { ...user.user_profile, email_verified: true } });
  return user.id;
}

/** The creator has the default role of creators (reference: login-and-tokens 4.2). */
function createOrganization(world: World, user_id: string, display_name: string) {
  const now = world.clock.iso();
  const organization = world.organizations.insert({
    id: world.draw.id('org'),
    create_time: now,
    update_time: now,
    display_name,
    region_code: 'US',
    metadata: {},
  });
  const role = world.roles.findBy('default_creator', 'yes');
  world.memberships.insert(creatorOf(world, user_id, organization.id, role));
  return { user_id, organization_id: organization.id };
}

function creatorOf(
  world: World,
  user_id: string,
  organization_id: string,
  role: Rows['roles'] | undefined,
): Rows['memberships'] {
  return {
    id: world.draw.id('mem'),
    organization_id,
    user_id,
    membership_status: 'ACTIVE',
    provisioning_method: 'org_creator',
    role_ids: role ? [role.id] : [],
    metadata: {},
    join_time: world.clock.iso(),
    resent_count: 0,
  };
}
