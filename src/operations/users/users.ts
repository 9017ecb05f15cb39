import { createHash } from 'node:crypto';
import type { components } from '../../contract/openapi.gen.ts';
import type { Env, Rows } from '../../state/env.ts';
import { notFound } from '../../contract/errors.ts';
import { given } from '@understudy/text/json';
import { taken } from '../conflicts.ts';
import type { Operations } from '../handler.ts';
import { callingUser } from '../lists.ts';
import { deviceIn } from '../sign-in/device.ts';
import { admit, findMembership } from './admission.ts';
import { viewUser } from './user-view.ts';

type User = Rows['users'];
type Schemas = components['schemas'];
type UserPath = { id: string } | { external_id: string };

export const users = {
  UserService_CreateUserAndMembership({ path, query, headers, body }, env) {
    const organization = env.organizations.get(path.organization_id);
    const invited = (query.send_invitation_email ?? true) && deviceIn(headers);
    const known = env.users.findBy('email', body.email.toLowerCase());
    const member = known && findMembership(env, organization.id, known.id);
    if (member)
      throw taken(
        env,
        'membership',
        { key: known.id, where: member.organization_id, by: member },
        'memberships',
      );
    refuseTaken(env, body.external_id, known);
    // Unverified (users/known-address): a known e-mail means the existing user, whose profile stays.
    if (known) env.decidedBy('users/known-address');
    const user = known ?? insertUser(env, body);
    admit(env, { organization, user, wanted: body.membership ?? {}, invited });
    return { user: viewUser(env, env.users.get(user.id)) };
  },

  UserService_GetUser({ path }, env) {
    return { user: viewUser(env, findUser(env, path)) };
  },

  UserService_UpdateUser({ path, body }, env) {
    const user = findUser(env, path);
    const { external_id, user_profile, metadata } = body;
    refuseTaken(env, external_id, user);
    // Unverified (users/update): maps and lists are replaced as a whole, an empty external_id removes it, and an empty map
    // or list empties the field (requests/empty-lists).
    if (metadata || external_id === '') env.decidedBy('users/update');
    const updated = env.users.update(user.id, {
      update_time: env.clock.iso(),
      ...(external_id !== undefined && { external_id: external_id || undefined }),
      ...given({ metadata }),
      ...(user_profile && { user_profile: { ...user.user_profile, ...changesOf(user_profile) } }),
    });
    return { user: viewUser(env, updated) };
  },

  UserService_GetCurrentUser(_, env) {
    const { session_id: current_session_id = '' } = env.caller ?? {};
    // True with a configured gateway (comment in the vendor's .proto files). Understudy has no gateway.
    return { user: viewUser(env, callingUser(env)), current_session_id, gateway_enabled: false };
  },

  /** Unverified (users/support-hash): how the service makes the hash. */
  UserService_GetSupportHash(_, env) {
    env.decidedBy('users/support-hash');
    const { environment_id } = env.settings.get('settings');
    const text = `${environment_id} ${callingUser(env).id}`;
    return { support_hash: createHash('sha256').update(text).digest('hex') };
  },

  UserService_DeleteUser({ path }, env) {
    const gone = 'id' in path ? env.deleted_users.find(path.id) : undefined;
    if (gone && !findUserByPath(env, path)) env.remove('deleted_users', gone.id);
    else env.remove('users', findUser(env, path).id);
    return {};
  },
} satisfies Partial<Operations>;

/** By id or, if the path has no `{id}`, by the caller's external id. */
export function findUser(env: Env, path: UserPath): User {
  const user = findUserByPath(env, path);
  if (!user) throw notFound('user', keyOf(path));
  return user;
}

/**
 * Deletes a user without memberships. Test suites delete that user again and must not fail: the service only
 * marks the user for deletion (tests of Python's SDK).
 */
export function removeUserWithoutMemberships(env: Env, id: string): void {
  if (env.memberships.count('user_id', id) > 0) return;
  env.remove('users', id);
  const gone = { id, delete_time: env.clock.iso() };
  if (env.deleted_users.find(id)) env.deleted_users.replace(gone);
  else env.deleted_users.insert(gone);
}

const keyOf = (path: UserPath) => ('id' in path ? path.id : path.external_id);

function findUserByPath(env: Env, path: UserPath): User | undefined {
  const byId = 'id' in path ? env.users.find(path.id) : undefined;
  return byId ?? env.users.findBy('external_id', keyOf(path));
}

function refuseTaken(env: Env, externalId: string | undefined, own: User | undefined): void {
  const other = externalId ? env.users.findBy('external_id', externalId) : undefined;
  if (other && other.id !== own?.id)
    throw taken(env, 'ownKey', { key: externalId!, where: 'external_id', by: other }, 'users');
}

export function insertUser(env: Env, wanted: Schemas['CreateUser']): User {
  const { external_id, email, metadata = {} } = wanted;
  const now = env.clock.iso();
  const { first_name, last_name, ...profile } = wanted.user_profile ?? {};
  return env.users.insert({
    id: env.draw.id('usr'),
    create_time: now,
    update_time: now,
    email,
    metadata,
    ...(external_id && { external_id }),
    user_profile: {
      ...profile,
      id: env.draw.id('usp'),
      given_name: profile.given_name || first_name || '',
      family_name: profile.family_name || last_name || '',
      email_verified: false,
    },
  });
}

/** The fields of an update under their stored names. */
const changesOf = ({ first_name, last_name, ...profile }: Schemas['UpdateUserProfile']) => ({
  ...given({ given_name: first_name, family_name: last_name }),
  ...profile,
});
