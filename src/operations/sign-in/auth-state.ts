import type { Env, Rows } from '../../state/env.ts';
import type { Input, Output } from '../../contract/types.ts';
import { failedPrecondition, notFound } from '../../contract/errors.ts';
import { CustomReply, type Operations } from '../handler.ts';
import { dropCookie, type BrowserCookies } from '../hosted/browser.ts';
import { signOut } from '../session-end.ts';
import { withAccount } from './account-creation.ts';
import { enterable, joinable, membershipsOf } from './organization-choice.ts';
import { currentSession } from './session.ts';
import { beginAgain, runningTransaction, transactionsOf, type Transaction } from './transaction.ts';

type AuthState = Exclude<Output<'AuthService_GetAuthState'>, CustomReply>['auth_state'];

export const authState = {
  AuthService_GetAuthState({ query, cookies }, env) {
    const transaction = latestOf(env, cookies, query);
    const user = transaction ? personIn(env, transaction) : userOfSession(env, cookies);
    return {
      auth_state: transaction
        ? stateOf(env, transaction)
        : user
          ? 'AUTHENTICATION_COMPLETED'
          : 'AUTH_STATE_UNSPECIFIED',
      ...(user && { user }),
      login_hint: transaction?.login_hint ?? '',
    };
  },

  AuthService_GetAuthError({ path }, env) {
    const failure = env.login_transactions.findBy('error_id', path.error_id)?.failure;
    // Unverified (sign-in/unknown-error-id): the docs do not say how an unknown id fails.
    if (!failure) throw notFound('error', path.error_id).decidedBy('sign-in/unknown-error-id');
    const { error, error_description } = failure;
    return { error, error_description };
  },

  AuthService_ListUserOrganizations({ cookies }, env) {
    const transaction = runningTransaction(env, cookies);
    const { user_id, intent } = transaction;
    const user = personIn(env, transaction);
    if (!user) throw unknownPerson();
    const memberships = user_id ? membershipsOf(env, user_id) : [];
    const suggested = user_id ? joinable(env, { ...transaction, user_id }) : [];
    if (suggested.length > 0) env.decidedBy('sign-in/status-of-suggested');
    return {
      organizations: [
        ...memberships
          .filter(({ membership_status }) => membership_status !== 'INACTIVE')
          .map((each) => viewEnterable(env, each)),
        ...suggested.map(viewJoinable),
      ],
      user,
      intent,
    };
  },

  AuthService_SignupOrganization({ cookies, body }, env) {
    const transaction = runningTransaction(env, cookies);
    const email = personIn(env, transaction)?.email;
    if (!email) throw unknownPerson();
    const sign_up = { ...transaction.sign_up, email, ...wantedIn(body) };
    const signing = env.login_transactions.update(transaction.id, { sign_up });
    const { organization_id = '' } = withAccount(env, signing);
    return { organization_id, organization_name: env.organizations.get(organization_id).display_name };
  },

  /**
   * The answer is empty, so the browser is not sent to the identity provider as after the hosted sign-out.
   * Unverified (sign-out/api-and-provider): nobody says whether the provider hears of it.
   */
  AuthService_Logout({ cookies }, env) {
    const session = currentSession(env, cookies);
    if (session) {
      env.decidedBy('sign-out/api-and-provider');
      signOut(env, session);
    }
    const dropped = cookies.understudy_session ? [dropCookie(env, 'understudy_session')] : [];
    return new CustomReply(200, { 'content-type': 'application/json', 'set-cookie': dropped }, {});
  },
} satisfies Partial<Operations>;

/** Unverified (sign-in/full-name): the first word of a full name is the given name. */
function wantedIn({ organization_name = '', full_name = '', ...body }: SignUpBody) {
  const [first = '', ...rest] = full_name.trim().split(/\s+/);
  const isNamed = body.first_name || body.last_name;
  const given_name = isNamed ? body.first_name : first;
  const family_name = isNamed ? body.last_name : rest.join(' ');
  return {
    ...(organization_name.trim() && { organization_name: organization_name.trim() }),
    ...(given_name && { given_name: given_name.slice(0, LONGEST_NAME) }),
    ...(family_name && { family_name: family_name.slice(0, LONGEST_NAME) }),
    ...(body.phone_number && { phone_number: body.phone_number }),
  };
}

const LONGEST_NAME = 255;

type SignUpBody = Input<'AuthService_SignupOrganization'>['body'];

/** The browser's running sign-in, or the last one if that has failed. */
function latestOf(env: Env, cookies: BrowserCookies, wanted: WantedState): Transaction | undefined {
  const begun = transactionsOf(env, cookies);
  const running = begun.findLast(({ status }) => status === 'PENDING');
  if (running) return asWanted(env, running, wanted);
  const last = begun.at(-1);
  return last?.status === 'COMPLETED' ? undefined : last;
}

interface WantedState {
  organization_id?: string;
  prompt?: string;
}

const INTENTS: Readonly<Record<string, Transaction['intent'] | undefined>> = {
  login: 'sign_in',
  create: 'sign_up',
};

/**
 * Unverified (sign-in/prompt-repeated): a page may repeat its `prompt`, so that only a sign-in in which nobody has
 * acted yet begins anew.
 */
function asWanted(
  env: Env,
  running: Transaction,
  { organization_id = '', prompt = '' }: WantedState,
): Transaction {
  const branded = env.organizations.find(organization_id)
    ? env.login_transactions.update(running.id, { branded_organization_id: organization_id })
    : running;
  const isUntouched = branded.session_id || stateOf(env, branded) === 'AUTHENTICATION_IN_PROGRESS';
  const intent = INTENTS[prompt];
  return intent && isUntouched ? beginAgain(env, branded, intent) : branded;
}

const SENT = {
  sign_in: {
    OTP: 'OTP_VERIFICATION_PENDING',
    LINK: 'MAGIC_LINK_SENT',
    LINK_OTP: 'LINK_SENT_OTP_VERIFICATION_PENDING',
  },
  verification: {
    OTP: 'VERIFICATION_OTP_SENT',
    LINK: 'VERIFICATION_MAGIC_LINK_SENT',
    LINK_OTP: 'VERIFICATION_MAGIC_LINK_OTP_SENT',
  },
} as const;

const VERIFIED = { code: 'OTP_VERIFIED', link: 'LINK_VERIFIED', passkey: 'WEBAUTHN_VERIFIED' } as const;

/** How far a sign-in is. Unverified (sign-in/states): the docs name the states and do not say when each holds. */
function stateOf(env: Env, transaction: Transaction): AuthState {
  env.decidedBy('sign-in/states');
  const { status, intent, passwordless_request_id, user_id, identity, organization_id } = transaction;
  if (status === 'COMPLETED') return 'AUTHENTICATION_COMPLETED';
  if (status !== 'PENDING') return 'AUTHENTICATION_FAILED';
  const request = env.passwordless_requests.find(passwordless_request_id ?? '');
  if (request) return SENT[request.purpose ?? 'sign_in'][request.passwordless_type];
  if (!user_id) return identity ? 'ORGANIZATION_SIGNUP' : 'AUTHENTICATION_IN_PROGRESS';
  if (organization_id) return intent === 'sign_up' ? 'ORG_USER_CREATED' : 'ORGANIZATION_SELECTED';
  const known = { ...transaction, user_id };
  const { length } = enterable(env, known);
  if (length > 1) return 'ORGANIZATION_SWITCHER';
  if (length === 0)
    return joinable(env, known).length > 0 ? 'ORGANIZATION_SWITCHER_SIGNUP' : 'ORGANIZATION_SIGNUP';
  if (identity?.connection_id) return 'SSO_AUTHENTICATED';
  return VERIFIED[transaction.verified_with ?? 'code'];
}

/** Who signs in; undefined: nobody is known yet. */
function personIn(env: Env, { user_id, identity }: Transaction) {
  if (user_id) return detailsOf(env.users.get(user_id));
  if (!identity) return undefined;
  const { given_name = '', family_name = '' } = identity.attributes ?? {};
  return { email: identity.email, first_name: String(given_name), last_name: String(family_name) };
}

function userOfSession(env: Env, cookies: BrowserCookies) {
  const session = currentSession(env, cookies);
  return session && detailsOf(env.users.get(session.user_id));
}

function detailsOf({ email, user_profile: { given_name = '', family_name = '' } }: Rows['users']) {
  return { email, first_name: given_name, last_name: family_name };
}

const unknownPerson = () =>
  failedPrecondition('nobody is known yet: say who signs in, and enter the code if one was mailed');

/** Unverified (sign-in/status-of-suggested): the docs do not say how the list tells what a user may join. */
const viewJoinable = ({ id, display_name, logo_url }: Rows['organizations']) => ({
  id,
  name: display_name,
  membership_status: 'Membership_Status_UNSPECIFIED',
  ...(logo_url && { logo_url }),
});

function viewEnterable(env: Env, membership: Rows['memberships']) {
  const { organization_id, membership_status, inviter_email, accepted_at, created_at, expires_at } =
    membership;
  const { display_name, logo_url } = env.organizations.get(organization_id);
  return {
    id: organization_id,
    name: display_name,
    membership_status,
    ...(inviter_email && { invitation_inviter_email: inviter_email }),
    ...(accepted_at && { invitation_accepted_at: accepted_at }),
    ...(expires_at && created_at && { invitation_created_at: created_at }),
    ...(expires_at && { invitation_expires_at: expires_at }),
    ...(logo_url && { logo_url }),
  };
}
