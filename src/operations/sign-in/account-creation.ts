import { rowNamed } from '../../contract/cause.ts';
import type { Env, Rows } from '../../state/env.ts';
import {
  askInterceptors,
  type InterceptorSubject,
  connectionDetails,
  userName,
  userTimes,
  userData,
  deviceData,
} from '../interceptors/ask.ts';
import { insertUser } from '../users/users.ts';
import { provingConnection } from './proving-connection.ts';
import { noteStep, type Transaction } from './transaction.ts';
import type { InterceptorEffects } from '../../contract/types.ts';
import { failedPrecondition, notFound } from '../../contract/errors.ts';
import { refusalOf } from '../refusals.ts';
import { admit, findMembership, refuseWithoutSeat, roleIds } from '../users/admission.ts';

type SignUp = NonNullable<Transaction['sign_up']>;

/**
 * Creates what somebody signed up for, once their address is proved: an organization, and the user if needed; or adds
 * the user to another organization that an interceptor chose. Throws `InterceptorDenial` before anything is created.
 */
export function withAccount(env: Env, transaction: Transaction): Transaction {
  const { id, sign_up, user_id, identity } = transaction;
  if (!sign_up || (!user_id && !identity)) return transaction;
  const account = createAccount(env, transaction, sign_up);
  // An address that a mail proved is the user's from now on. What a provider said belongs to the tokens.
  const provided = identity?.connection_id ? identity : undefined;
  return env.login_transactions.update(id, { ...account, identity: provided, sign_up: undefined });
}

function createAccount(env: Env, transaction: Transaction, wanted: SignUp) {
  const place = consentToSignUp(env, transaction, wanted.email);
  const user_id = transaction.user_id ?? createUser(env, wanted);
  if (!transaction.user_id) noteStep(env, transaction, 'User created');
  const account = place
    ? joinChosenOrganization(env, place, user_id)
    : createOrganization(env, user_id, wanted.organization_name ?? nameOfNew(env, wanted));
  if (!place) noteStep(env, transaction, 'Organization created');
  noteStep(env, transaction, 'User added to organization');
  return account;
}

/**
 * Unverified (sign-in/name-of-new-organization): the docs do not say what the organization of somebody who names none
 * is called.
 */
function nameOfNew(env: Env, { email, given_name = /^[^@+]*/.exec(email)![0] }: SignUp): string {
  env.decidedBy('sign-in/name-of-new-organization');
  return `${given_name || email}'s organization`.slice(0, LONGEST_NAME);
}

const LONGEST_NAME = 200;

function createUser(env: Env, { email, given_name, family_name, phone_number }: SignUp): string {
  const user = insertUser(env, {
    email,
    user_profile: {
      ...(given_name && { given_name }),
      ...(family_name && { family_name }),
      ...(phone_number && { phone_number }),
    },
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

/**
 * Asks interceptors whether the user may create an organization; returns another place for the user if they
 * name one. Throws `InterceptorDenial`. Unverified (interceptors/unknown-organization): an unknown organization or role
 * is a failure of the interceptor.
 */
function consentToSignUp(
  env: Env,
  transaction: Transaction,
  user_email: string,
): ChosenOrganization | undefined {
  const { user_id } = transaction;
  const place = (wanted: WantedMembership | null | undefined) =>
    wanted ? chosenOrganization(env, user_id, wanted) : undefined;
  const effects = askInterceptors(env, 'PRE_SIGNUP', () => ({
    ...subjectOf(env, transaction, user_email),
    flawOf: ({ create_organization_membership: wanted }) => place(wanted)?.flaw,
  }));
  return place(effects.create_organization_membership);
}

function subjectOf(env: Env, transaction: Transaction, user_email: string): InterceptorSubject<'PRE_SIGNUP'> {
  const { user_id, device } = transaction;
  const connection_id = provingConnection(env, transaction);
  const auth_request = requestOf(transaction);
  return {
    context: {
      ...(user_id && { user_id }),
      user_email,
      connection_details: connectionDetails(env, connection_id ? [connection_id] : [], transaction),
      ...(Object.keys(auth_request).length > 0 && { auth_request }),
      ...deviceData(device),
    },
    data: user_id ? { user: knownUser(env, user_id) } : {},
  };
}

function requestOf(transaction: Transaction) {
  const { wanted_connection_id, wanted_organization_id, wanted_domain, login_hint, state } = transaction;
  return {
    ...(wanted_connection_id && { connection_id: wanted_connection_id }),
    ...(wanted_organization_id && { organization_id: wanted_organization_id }),
    ...(wanted_domain && { domain: wanted_domain }),
    ...(login_hint && { login_hint }),
    ...(state && { state }),
  };
}

function knownUser(env: Env, id: string) {
  const user = env.users.get(id);
  const { given_name, family_name } = user.user_profile;
  return {
    ...userData(user),
    name: userName(user),
    ...userTimes(user),
    ...(given_name && { given_name }),
    ...(family_name && { family_name }),
    metadata: { ...user.metadata },
    memberships: env.memberships
      .list('user_id', id)
      .map(({ organization_id, membership_status: status, role_ids, metadata }) => ({
        organization_id,
        status,
        roles: role_ids.map((role) => env.roles.get(role).name),
        metadata: { ...metadata },
        organization_name: env.organizations.get(organization_id).display_name,
      })),
  };
}

type Organization = Rows['organizations'];

/** The place that an interceptor wants for the user. */
type WantedMembership = NonNullable<InterceptorEffects<'PRE_SIGNUP'>['create_organization_membership']>;

/** An existing organization that the user joins instead of creating one. */
interface ChosenOrganization {
  organization: Organization | undefined;
  roles: { name: string }[];
  /** Why the user cannot join. */
  flaw: string | undefined;
}

/** `userId` is undefined for somebody without a user record. */
function chosenOrganization(
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
  const membership = userId === undefined ? undefined : findMembership(env, organization.id, userId);
  const status = membership?.membership_status;
  if (membership && status === 'INACTIVE')
    throw failedPrecondition(`${userId} is switched off in ${organization.id}`, {
      rows: [rowNamed('memberships', membership)],
      needs: { membership_status: 'ACTIVE' },
    });
  if (!status || status === 'INVITE_EXPIRED') refuseWithoutSeat(env, organization);
}

/**
 * Adds the user to the organization. Unverified (interceptors/invited-user-in-organization): this accepts a pending
 * invitation.
 */
function joinChosenOrganization(env: Env, { organization, roles }: ChosenOrganization, user_id: string) {
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
