import { rowNamed } from '../../contract/cause.ts';
import type { Env, Rows } from '../../state/env.ts';
import { OAuthError } from '../../contract/errors.ts';
import { domainsOf } from '../connections/connection-lookup.ts';
import { withSettings } from '../connections/settings.ts';
import { domainOf } from '../connections/sign-in-connection.ts';
import { admit, findMembership, refuseWithoutSeat } from '../users/admission.ts';
import { insertUser } from '../users/users.ts';
import type { Transaction } from './transaction.ts';

type Connection = Rows['connections'];
type Identity = NonNullable<Transaction['identity']>;
type User = Rows['users'];

/**
 * Finds the user by e-mail; every way to sign in leads to the same user. Without a user only the identity is
 * known, and a sign-up may follow. A connection of an organization also decides the organization and may add
 * newcomers as members. Throws `OAuthError` if it must not.
 */
export function identify(env: Env, transaction: Transaction, identity: Identity): Transaction {
  const user = env.users.findBy('email', identity.email.toLowerCase());
  const connection = env.connections.find(identity.connection_id ?? '');
  if (!connection?.organization_id)
    return env.login_transactions.update(transaction.id, { identity, ...(user && { user_id: user.id }) });
  const organization = env.organizations.get(connection.organization_id);
  const member = { env, identity, connection, organization };
  const known = user ? enterOrganization({ ...member, user }) : provisionUser(member);
  return env.login_transactions.update(transaction.id, {
    identity,
    user_id: known.id,
    organization_id: organization.id,
  });
}

interface Newcomer {
  env: Env;
  identity: Identity;
  connection: Connection;
  organization: Rows['organizations'];
}

/** Adds the user to the organization of the connection, or updates an existing member. */
function enterOrganization({ user, ...member }: Newcomer & { user: User }): User {
  const { env, organization, identity, connection } = member;
  const membership = findMembership(env, organization.id, user.id);
  if (membership?.membership_status === 'INACTIVE')
    throw new OAuthError(
      'user_not_active',
      `${identity.email} is switched off in ${organization.display_name}`,
      { why: { kind: 'state', rows: [rowNamed('memberships', membership)] } },
    );
  if (!membership || membership.membership_status === 'INVITE_EXPIRED') refuseUnlessProvisioned(member);
  if (!membership) joinOrganization(member, user);
  // Unverified (sign-in/invitation-and-sso): signing in with the organization's own provider accepts an invitation.
  else if (membership.membership_status !== 'ACTIVE') {
    env.decidedBy('sign-in/invitation-and-sso');
    acceptMembership(env, membership);
  }
  return settingsOf(env, connection).sync_user_profile_on_login ? syncProfile(env, user, identity) : user;
}

function provisionUser(member: Newcomer): User {
  const { env, identity } = member;
  refuseUnlessProvisioned(member);
  const { email, attributes = {} } = identity;
  const user = insertUser(env, { email, user_profile: namesIn(attributes) });
  joinOrganization(member, user);
  return env.users.get(user.id);
}

/**
 * Just-in-time provisioning needs the switch, an address of the organization and a free seat (Scalekit docs,
 * JIT provisioning).
 */
function refuseUnlessProvisioned({ env, identity: { email }, connection, organization }: Newcomer): void {
  const { display_name } = organization;
  if (!settingsOf(env, connection).jit_provisioning_with_sso_enabled)
    throw new OAuthError('unauthorized', `${email} is not a member of ${display_name}`);
  const domain = domainOf(email);
  if (!domainsOf(env, connection).some((each) => each.domain.toLowerCase() === domain))
    throw new OAuthError('invalid_user_domain', `the domain of ${email} does not belong to ${display_name}`);
  try {
    refuseWithoutSeat(env, organization);
  } catch (thrown) {
    throw new OAuthError('unauthorized', (thrown as Error).message);
  }
}

function joinOrganization({ env, organization }: Newcomer, user: User): void {
  const { id } = admit(env, { organization, user, wanted: {}, invited: false });
  env.memberships.update(id, { provisioning_method: 'jit_using_sso' });
}

function acceptMembership(env: Env, { id, join_time }: Rows['memberships']): void {
  const now = env.clock.iso();
  env.memberships.update(id, {
    membership_status: 'ACTIVE',
    accepted_at: now,
    join_time: join_time ?? now,
  });
}

function syncProfile(env: Env, user: User, { attributes = {} }: Identity): User {
  const names = namesIn(attributes);
  const changed = Object.entries(names).some(
    ([name, value]) => user.user_profile[name as keyof typeof names] !== value,
  );
  if (!changed) return user;
  return env.users.update(user.id, {
    update_time: env.clock.iso(),
    user_profile: { ...user.user_profile, ...names },
  });
}

function namesIn(attributes: Record<string, unknown>) {
  const { given_name, family_name } = attributes;
  return {
    ...(typeof given_name === 'string' && given_name && { given_name }),
    ...(typeof family_name === 'string' && family_name && { family_name }),
  };
}

interface SignInSettings {
  sync_user_profile_on_login?: boolean;
  jit_provisioning_with_sso_enabled?: boolean;
}

function settingsOf(env: Env, connection: Connection): SignInSettings {
  const { oidc_config, saml_config } = withSettings(env, connection);
  return saml_config ?? oidc_config ?? {};
}
