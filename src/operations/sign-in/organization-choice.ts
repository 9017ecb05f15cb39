import type { Env, Rows } from '../../state/env.ts';
import { domainOf } from '../connections/sign-in-connection.ts';
import { refusalOf } from '../refusals.ts';
import { admit, findMembership } from '../users/admission.ts';
import type { Transaction } from './transaction.ts';

type Membership = Rows['memberships'];
export type KnownUserTransaction = Transaction & { user_id: string };

/** The organization to enter, a question for the user, or an error. */
type OrganizationChoice =
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
  const suggested = joinable(env, transaction);
  const offered = active.length + open.length + suggested.length;
  if (transaction.prompt.includes('select_account') && offered > 1) return { ask: 'organization' };
  const [first, ...more] = active;
  if (first && more.length === 0 && suggested.length > 0) env.decidedBy('sign-in/suggested-organizations');
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
  if (!isSilent(transaction)) {
    const isWelcome = joinable(env, transaction).length > 0;
    return { ask: isWelcome ? 'organization' : 'sign-up' };
  }
  // An automatic sign-in shows no page, so the user joins the first organization that allows the e-mail address.
  const [first] = transaction.is_automatic ? joinable(env, transaction) : [];
  if (!first) return { organization_id: undefined };
  const problem = refusalOf(() => join(env, transaction.user_id, first));
  return problem === undefined ? { organization_id: first.id } : refuse('access_denied', problem);
}

/**
 * Organizations that allow the domain of the user's address, and that the user may join in the organization switcher
 * (Scalekit docs, Configure email domain rules). Unverified (sign-in/suggested-organizations): a member of one organization
 * sees no switcher, and so no suggestion.
 */
export function joinable(env: Env, transaction: KnownUserTransaction): Rows['organizations'][] {
  const { user_id, wanted_organization_id: wanted } = transaction;
  return env.domains
    .list('domain', domainOf(env.users.get(user_id).email) ?? '')
    .filter(({ domain_type }) => domain_type === 'ALLOWED_EMAIL_DOMAIN')
    .filter(({ organization_id: id }) => !findMembership(env, id, user_id) && (wanted ?? id) === id)
    .map(({ organization_id }) => env.organizations.get(organization_id));
}

/** Makes the user a member. Throws if the organization has no free seat. */
export function join(env: Env, userId: string, organization: Rows['organizations']): Membership {
  const user = env.users.get(userId);
  const { id } = admit(env, { organization, user, wanted: {}, invited: false });
  return env.memberships.update(id, { provisioning_method: 'allowed_email_domain' });
}
