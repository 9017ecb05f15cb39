import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { insertUser } from '../users/users.ts';
import type { Transaction } from './transaction.ts';

type WantedSignUp = NonNullable<Transaction['sign_up']>;

/** A user who is new, in an organization of their own. */
export function createAccount(world: World, wanted: WantedSignUp) {
  const { email, given_name, family_name } = wanted;
  const user = insertUser(world, {
    email,
    user_profile: { ...(given_name && { given_name }), ...(family_name && { family_name }) },
  });
  world.users.update(user.id, { user_profile: { ...user.user_profile, email_verified: true } });
  return createOrganization(world, user.id, wanted.organization_name);
}

/** The creator has the default role of creators (reference: login-and-tokens 4.2). */
export function createOrganization(world: World, user_id: string, display_name: string) {
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
