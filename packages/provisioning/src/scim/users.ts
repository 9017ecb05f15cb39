import { isDeepStrictEqual } from 'node:util';
import type { Env, Rows } from '@understudy/core/state/env';
import { ApiError, notFound } from '@understudy/core/contract/errors';
import type { Resource } from '@understudy/scim/attributes';
import { patched, refuseManyOperations } from '@understudy/scim/patch';
import { USER } from '@understudy/scim/schemas';
import { readResource } from '@understudy/scim/reading';
import { Answer, type Operations } from '@understudy/core/operations/handler';
import { followUser, refuseOtherAddress, type AccountChange } from './account.ts';
import { answerIfNew, answerWith, refuseOtherVersion } from './answers.ts';
import { foreignIn, foreignOf, patchForeign, type ForeignExtensions } from './foreign-extensions.ts';
import { joinWaitingGroups } from './group-members.ts';
import { pushing, type Pushing } from './pushing.ts';
import { attributesOf, columnsOf, userResource } from './user-rows.ts';

type User = Rows['directory_users'];

export const users = {
  Scim_CreateUser({ query, body }, env) {
    const push = pushing(env, 'writes');
    const created = createUser(push, readResource(USER, body), foreignIn(body));
    const account = followUser(env, push.directory.organization_id, { before: undefined, after: created });
    joinWaitingGroups(push, created);
    const user = env.directory_users.get(created.id);
    const note = told(`created user ${nameOf(user)}`, account, user);
    return answerWith(USER, userResource(push, user), { status: 201, query, note });
  },

  Scim_GetUser({ path, query, headers }, env) {
    const push = pushing(env, 'reads');
    const resource = userResource(push, findUser(push, path.id));
    return answerIfNew(USER, resource, { query, known: headers['If-None-Match'] });
  },

  Scim_ReplaceUser({ path, query, headers, body }, env) {
    const push = pushing(env, 'writes');
    const user = findForChange(push, path.id, headers['If-Match']);
    // Unverified (scim/replace-keeps-active): a user keeps `active` if the new resource does not say it.
    const next = readResource(USER, body);
    if (!('active' in next)) env.decidedBy('scim/replace-keeps-active');
    const { active } = attributesOf(user);
    return changeUser(push, user, { next: { active, ...next }, foreign: foreignIn(body), query });
  },

  Scim_PatchUser({ path, query, headers, body }, env) {
    refuseManyOperations(body.Operations);
    const push = pushing(env, 'writes');
    const user = findForChange(push, path.id, headers['If-Match']);
    const { foreign, operations } = patchForeign(foreignOf(user), body.Operations);
    return changeUser(push, user, { next: patched(USER, attributesOf(user), operations), foreign, query });
  },

  Scim_DeleteUser({ path, headers }, env) {
    const push = pushing(env, 'writes');
    const user = findForChange(push, path.id, headers['If-Match']);
    const account = followUser(env, push.directory.organization_id, { before: user, after: undefined });
    env.remove('directory_users', user.id);
    return new Answer(204, {}, undefined, told(`removed user ${nameOf(user)}`, account));
  },
} satisfies Partial<Operations>;

/** Unverified (scim/other-directory): a row of another directory is not found. */
function findUser({ env, directory }: Pushing, id: string): User {
  const user = env.directory_users.find(id);
  if (!user) throw notFound('user', id);
  if (user.directory_id === directory.id) return user;
  throw notFound('user', id).decidedBy('scim/other-directory');
}

function findForChange(push: Pushing, id: string, wanted: string | undefined): User {
  const user = findUser(push, id);
  if (wanted !== undefined) refuseOtherVersion(userResource(push, user), wanted);
  return user;
}

function createUser({ env, directory }: Pushing, resource: Resource, foreign: ForeignExtensions): User {
  const columns = columnsOf(resource, undefined, foreign);
  refuseTakenName(env, directory.id, columns.preferred_username);
  const now = env.clock.iso();
  return env.directory_users.insert({
    id: env.draw.id('diruser'),
    directory_id: directory.id,
    group_ids: [],
    updated_at: now,
    ...columns,
    detail: { ...columns.detail, created_at: now },
  });
}

function refuseTakenName(env: Env, directory: string, name: string | undefined, ownId?: string): void {
  const others = env.directory_users.list('user_name', `${directory} ${name?.toLowerCase()}`);
  if (others.some(({ id }) => id !== ownId))
    throw new ApiError('already_exists', `directory ${directory} has a user with the userName ${name}`);
}

interface UserChange {
  next: Resource;
  foreign: ForeignExtensions;
  query: { attributes?: string; excludedAttributes?: string };
}

/** A change that changes nothing causes no event. */
function changeUser(push: Pushing, before: User, { next, foreign, query }: UserChange): Answer {
  const { env, directory } = push;
  const columns = columnsOf(next, before, foreign);
  if (isDeepStrictEqual([next, foreign], [attributesOf(before), foreignOf(before)]))
    return answerWith(USER, userResource(push, before), { query, note: `${nameOf(before)} stays as it is` });
  refuseTakenName(env, directory.id, columns.preferred_username, before.id);
  refuseOtherAddress(env, directory.organization_id, before, columns.email);
  const after = env.directory_users.update(before.id, {
    external: undefined,
    ...columns,
    updated_at: env.clock.iso(),
  });
  const account = followUser(env, directory.organization_id, { before, after });
  const note = told(`changed user ${nameOf(after)}`, account, after);
  return answerWith(USER, userResource(push, after), { query, note });
}

const nameOf = ({ email, preferred_username, id }: User): string => email || preferred_username || id;

function told(what: string, account: AccountChange | undefined, user?: User): string {
  const isOff = user?.detail?.['active'] === false;
  return [what, ...(isOff ? ['who is not active'] : []), ...(account ? [account] : [])].join(', ');
}
