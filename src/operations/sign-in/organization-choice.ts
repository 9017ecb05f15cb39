import type { Env } from '../../state/env.ts';
import type { Rows } from '../../state/schema.ts';
import { domainOf } from '../identity-provider/sign-in-connection.ts';
import { admit, findMembership } from '../users/admission.ts';
import type { Transaction } from './transaction.ts';

type Membership = Rows['memberships'];
export type KnownUserTransaction = Transaction & { user_id: string };

/** The organization to enter, a question for the user, or an error. */
export type OrganizationChoice =
  | { organization_id: string | undefined }
  | { ask: 'organization' | 'sign-up' }
  | { error: string; error_description: string };

const refuse = (error: string, error_description: string): OrganizationChoice => ({
  error,
  error_description,
});

/** Picks the user's only organization, or the one that was asked for or chosen. */
export function chooseOrganization(env: Env, transaction: KnownUserTransaction): OrganizationChoice {
  const { organization_id, wanted_organization_id } = transaction;
  if (organization_id) return { organization_id };
  if (wanted_organization_id) return wantedEntry(env, transaction, wanted_organization_id);
  const memberships = membershipsOf(env, transaction.user_id);
  const active = memberships.filter(isActive);
  const open = memberships.filter(({ membership_status }) => membership_status === 'PENDING_INVITE');
  if (transaction.prompt.includes('select_account') && active.length + open.length > 1)
    return { ask: 'organization' };
  const [first, ...more] = active;
  if (!first) return withoutActive(env, transaction, memberships);
  if (more.length === 0) return { organization_id: first.organization_id };
  const last = enteredLast(env, transaction);
  if (active.some((each) => each.organization_id === last)) return { organization_id: last };
  return isSilent(transaction) ? { organization_id: first.organization_id } : { ask: 'organization' };
}

/** Nobody can be asked, so the decision is made without a page. */
export const isSilent = ({ prompt, is_automatic = false }: Transaction) =>
  is_automatic || prompt.includes('none');

const isActive = ({ membership_status }: Membership) => membership_status === 'ACTIVE';

export const membershipsOf = (env: Env, userId: string) => env.memberships.list('user_id', userId);

/** What the user may enter. An organization that was asked for is the only one offered. */
export const enterable = (
  env: Env,
  { user_id, wanted_organization_id: wanted }: KnownUserTransaction,
): Membership[] =>
  membershipsOf(env, user_id).filter(
    ({ organization_id, membership_status }) =>
      (membership_status === 'ACTIVE' || membership_status === 'PENDING_INVITE') &&
      (wanted === undefined || organization_id === wanted),
  );

const enteredLast = (env: Env, { session_id = '' }: Transaction) =>
  env.sessions.find(session_id)?.organization_id;

function wantedEntry(env: Env, { user_id }: KnownUserTransaction, id: string): OrganizationChoice {
  const organization = env.organizations.find(id);
  if (!organization) return refuse('invalid_organization_id', `organization ${id} not found`);
  const { email } = env.users.get(user_id);
  const { display_name } = organization;
  const membership = findMembership(env, id, user_id);
  if (!membership) return refuse('access_denied', `${email} is not a member of ${display_name}`);
  const { membership_status } = membership;
  if (membership_status === 'ACTIVE') return { organization_id: id };
  if (membership_status === 'PENDING_INVITE') return { ask: 'organization' };
  return membership_status === 'INACTIVE'
    ? refuse('user_not_active', `${email} is switched off in ${display_name}`)
    : refuse('access_denied', `the invitation of ${email} to ${display_name} has expired`);
}

function withoutActive(
  env: Env,
  transaction: KnownUserTransaction,
  memberships: readonly Membership[],
): OrganizationChoice {
  const { email } = env.users.get(transaction.user_id);
  const statuses = memberships.map(({ membership_status }) => membership_status);
  if (statuses.includes('PENDING_INVITE')) return { ask: 'organization' };
  if (statuses.includes('INACTIVE'))
    return refuse('user_not_active', `${email} is switched off in every organization`);
  if (statuses.includes('INVITE_EXPIRED'))
    return refuse('access_denied', `the invitation of ${email} has expired: ask for a new one`);
  const joined = joinByDomain(env, transaction.user_id, email);
  if (joined) return { organization_id: joined.organization_id };
  return isSilent(transaction) ? { organization_id: undefined } : { ask: 'sign-up' };
}

/**
 * Unverified (sign-in/allowed-email-domain): an organization that allows the address's domain takes in users without an
 * organization.
 */
function joinByDomain(env: Env, userId: string, email: string): Membership | undefined {
  const domain = admittingDomain(env, email);
  if (!domain) return undefined;
  env.decidedBy('sign-in/allowed-email-domain');
  const organization = env.organizations.get(domain.organization_id);
  const membership = admit(env, {
    organization,
    user: env.users.get(userId),
    wanted: {},
    invited: false,
  });
  return env.memberships.update(membership.id, { provisioning_method: 'allowed_email_domain' });
}

/** The domain by which an organization takes in the user of the address. */
export const admittingDomain = (env: Env, email: string): Rows['domains'] | undefined =>
  env.domains
    .list('domain', domainOf(email) ?? '')
    .find(({ domain_type }) => domain_type === 'ALLOWED_EMAIL_DOMAIN');
