import type { Env } from '../../state/env.ts';
import type { Rows } from '../../state/schema.ts';
import type { CustomReply } from '../custom-reply.ts';
import type { BrowserCookies } from '../hosted/browser.ts';
import {
  InterceptorDenial,
  askInterceptors,
  type InterceptorSubject,
  connectionDetails,
  userName,
  userTimes,
  userData,
  deviceData,
} from '../interceptors/ask.ts';
import { insertUser } from '../users/users.ts';
import {
  joinChosenOrganization,
  chosenOrganization,
  type ChosenOrganization,
  type WantedMembership,
} from './chosen-organization.ts';
import { storeAddressProof } from './foreign-domain.ts';
import { deniedPage } from './sign-up-page.ts';
import { nextStep } from './steps.ts';
import type { Transaction } from './transaction.ts';

/** Signs in the user of the verified address, or creates the user who signed up with it. */
export function acceptProvedAddress(
  env: Env,
  transaction: Transaction,
  email: string,
  cookies: BrowserCookies,
  status: 302 | 303 = 303,
): CustomReply {
  const { id, sign_up } = transaction;
  const user = env.users.findBy('email', email.toLowerCase());
  const verified = user && { ...user.user_profile, email_verified: true };
  if (verified) env.users.update(user.id, { user_profile: verified });
  try {
    const account = user ? { user_id: user.id } : sign_up && createAccount(env, transaction, sign_up);
    const known = env.login_transactions.update(id, { ...account, passwordless_request_id: undefined });
    storeAddressProof(env, known);
    return nextStep(env, known, cookies, status);
  } catch (thrown) {
    if (!(thrown instanceof InterceptorDenial) || !sign_up) throw thrown;
    return deniedPage(env, transaction, fieldsOf(sign_up), thrown.message);
  }
}

const fieldsOf = ({ given_name, family_name, ...sign_up }: NonNullable<Transaction['sign_up']>) => ({
  ...sign_up,
  first_name: given_name,
  last_name: family_name,
});

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

/**
 * Asks interceptors whether the user may create an organization; returns another place for the user if they
 * name one. Throws `InterceptorDenial`. Unverified: an unknown organization or role is a failure of the
 * interceptor.
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
  const { user_id, identity, device } = transaction;
  const auth_request = requestOf(transaction);
  return {
    context: {
      ...(user_id && { user_id }),
      user_email,
      connection_details: connectionDetails(env, identity?.connection_id ? [identity.connection_id] : []),
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
