import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';
import { insertUser } from '../users/users.ts';
import { consentToSignUp } from './sign-up-consent.ts';
import { joinChosenOrganization } from './chosen-organization.ts';
import type { Transaction } from './transaction.ts';

type WantedSignUp = NonNullable<Transaction['sign_up']>;

/**
 * Creates an organization for the user, and the user if needed; or adds the user to another organization that
 * an interceptor chose. Throws `InterceptorDenial` before anything is created.
 */
export function createAccount(env: Env, transaction: Transaction, wanted: WantedSignUp) {
  const place = consentToSignUp(env, transaction, wanted.email);
  const user_id = transaction.user_id ?? createUser(env, wanted);
  return place
    ? joinChosenOrganization(env, place, user_id)
    : createOrganization(env, user_id, wanted.organization_name);
}

function createUser(env: Env, { email, given_name, family_name }: WantedSignUp): string {
  const user = insertUser(env, {
    email,
    user_profile: { ...(given_name && { given_name }), ...(family_name && { family_name }) },
  });
  env.users.update(user.id, { user_profile: { ...user.user_profile, email_verified: true } });
  return user.id;
}

/** The creator gets the default creator role (Scalekit docs, Assign roles). */
function createOrganization(env: Env, user_id: string, display_name: string) {
  const now = env.clock.iso();
  const organization = env.organizations.insert({
    id: env.draw.id('org'),
    create_time: now,
    update_time: now,
    display_name,
    region_code: 'US',
    metadata: {},
  });
  const role = env.roles.findBy('default_creator', 'yes');
  env.memberships.insert(creatorOf(env, user_id, organization.id, role));
  return { user_id, organization_id: organization.id };
}

function creatorOf(
  env: Env,
  user_id: string,
  organization_id: string,
  role: Rows['roles'] | undefined,
): Rows['memberships'] {
  return {
    id: env.draw.id('mem'),
    organization_id,
    user_id,
    membership_status: 'ACTIVE',
    provisioning_method: 'org_creator',
    role_ids: role ? [role.id] : [],
    metadata: {},
    join_time: env.clock.iso(),
    resent_count: 0,
  };
}
