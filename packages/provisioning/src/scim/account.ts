import type { Env, Rows } from '@understudy/core/state/env';
import { ApiError } from '@understudy/core/contract/errors';
import { provedDomains } from '@understudy/core/operations/connections/connection-lookup';
import { domainOf } from '@understudy/core/operations/connections/sign-in-connection';
import { admit, findMembership, refuseWithoutSeat } from '@understudy/core/operations/users/admission';
import { insertUser } from '@understudy/core/operations/users/users';
import { refusal } from './refusals.ts';
import { textIn } from './user-rows.ts';

type DirectoryUser = Rows['directory_users'];
type Account = Rows['users'];

/** What a push did to the account of a user, for the journal. */
export type AccountChange =
  'created the account' | 'switched the membership on' | 'switched the membership off';

/**
 * Gives the account what the provider says about its user. Unverified (scim/deactivation): who is not active is a changed
 * user, and the membership is switched off. Only users with an address of the organization have one here;
 * others must be invited (Scalekit docs, SCIM provisioning). `after` undefined: the provider has removed the user.
 */
export function followUser(
  env: Env,
  organizationId: string,
  { before, after }: { before: DirectoryUser | undefined; after: DirectoryUser | undefined },
): AccountChange | undefined {
  const { email } = (after ?? before)!;
  if (after && !isActive(after) && before && isActive(before)) env.decidedBy('scim/deactivation');
  if (!isOwnAddress(env, organizationId, email)) return undefined;
  if (!after || !isActive(after)) return switchOff(env, organizationId, email);
  const isArrival = !before || !isActive(before) || before.email !== email;
  const account = env.users.findBy('email', email.toLowerCase());
  if (account) syncProfile(env, account, after);
  return isArrival ? welcome(env, organizationId, account ?? createAccount(env, after), !account) : undefined;
}

/** The address of an account cannot change (Scalekit docs, SCIM provisioning). */
export function refuseOtherAddress(
  env: Env,
  organizationId: string,
  before: DirectoryUser,
  email: string,
): void {
  if (before.email === '' || before.email.toLowerCase() === email.toLowerCase()) return;
  const account = env.users.findBy('email', before.email.toLowerCase());
  // Unverified (scim/address-without-account): a user without an account may get another address.
  if (!account || !findMembership(env, organizationId, account.id))
    return env.decidedBy('scim/address-without-account');
  throw refusal(
    'mutability',
    `${before.email} is the address of an account and cannot change to ${email}; remove the user and push a new one`,
  );
}

function isOwnAddress(env: Env, organizationId: string, email: string): boolean {
  const domain = domainOf(email);
  return provedDomains(env, organizationId).some((each) => each.domain.toLowerCase() === domain);
}

const isActive = ({ detail }: DirectoryUser): boolean => detail?.['active'] !== false;

function switchOff(env: Env, organizationId: string, email: string): AccountChange | undefined {
  const account = env.users.findBy('email', email.toLowerCase());
  const membership = account && findMembership(env, organizationId, account.id);
  if (membership?.membership_status !== 'ACTIVE') return undefined;
  env.memberships.update(membership.id, { membership_status: 'INACTIVE' });
  return 'switched the membership off';
}

function createAccount(env: Env, user: DirectoryUser): Account {
  return insertUser(env, { email: user.email, user_profile: profileOf(user) });
}

function welcome(
  env: Env,
  organizationId: string,
  account: Account,
  isNew: boolean,
): AccountChange | undefined {
  const organization = env.organizations.get(organizationId);
  const membership = findMembership(env, organizationId, account.id);
  if (membership?.membership_status === 'ACTIVE') return undefined;
  if (membership) {
    // Unverified (scim/invited-user): the provider's word also accepts an invitation.
    if (membership.membership_status !== 'INACTIVE') env.decidedBy('scim/invited-user');
    const now = env.clock.iso();
    const { join_time = now } = membership;
    env.memberships.update(membership.id, { membership_status: 'ACTIVE', join_time });
    return 'switched the membership on';
  }
  refuseFull(env, organization);
  admit(env, { organization, user: account, wanted: {}, invited: false });
  return isNew ? 'created the account' : 'switched the membership on';
}

/** Unverified (scim/no-seat): the status of the answer if all seats are taken. */
function refuseFull(env: Env, organization: Rows['organizations']): void {
  try {
    refuseWithoutSeat(env, organization);
  } catch (thrown) {
    throw new ApiError('permission_denied', (thrown as Error).message).decidedBy('scim/no-seat');
  }
}

function profileOf({ given_name = '', family_name = '', preferred_username, detail = {} }: DirectoryUser) {
  const [name, picture, phone_number, locale] = ['name', 'picture', 'phone_number', 'locale'].map((member) =>
    textIn(detail, member),
  );
  return {
    given_name,
    family_name,
    ...(preferred_username && { preferred_username }),
    ...(name && { name }),
    ...(picture && { picture }),
    ...(phone_number && { phone_number }),
    ...(locale && { locale }),
  };
}

function syncProfile(env: Env, { id, user_profile }: Account, user: DirectoryUser): void {
  const pushed = profileOf(user);
  const isNews = Object.entries(pushed).some(
    ([name, value]) => user_profile[name as keyof typeof pushed] !== value,
  );
  if (!isNews) return;
  env.users.update(id, { update_time: env.clock.iso(), user_profile: { ...user_profile, ...pushed } });
}
