import type { Rows } from '@understudy/core/state/env';
import type { Tables } from '@understudy/core/state/env';
import { DIALECTS, profileOf, type Dialect, type Member, type Profile } from './dialects.ts';
import { isOk, readDirectory, resourcesIn, type DirectoryContent } from './directory-reading.ts';
import type { ScimAnswer, ScimClient } from './scim-client.ts';

type Push = Rows['idp_pushes'];
type User = Rows['idp_users'];
type Group = Rows['idp_groups'];

/** What the provider knows after a push. */
export interface PushResult {
  /** The first answer that was no success; undefined: all were. */
  refusal: ScimAnswer | undefined;
  user?: Known<User>;
  group?: Known<Group>;
  /** What the provider has read. */
  content?: DirectoryContent;
  /** The person or group is gone at the provider, and the directory knows it. */
  isGone?: boolean;
}

/** What the provider believes that the directory has. */
interface Known<R extends { scim_id?: string; pushed?: object }> {
  scim_id: string | undefined;
  pushed: R['pushed'] | undefined;
}

interface PushContext {
  tables: Pick<Tables, 'idp_users' | 'idp_groups'>;
  dialect: Dialect;
  client: ScimClient;
}

/** Makes the requests of one push. */
export function makePush(
  push: Push,
  { provider }: Rows['idp_apps'],
  tables: PushContext['tables'],
  client: ScimClient,
): Promise<PushResult> {
  const context = { tables, dialect: DIALECTS[provider], client };
  const { kind, subject_id = '' } = push;
  if (kind === 'connect') return testConnection(context);
  if (kind === 'read') return readDirectory(client);
  const group = kind === 'group' ? tables.idp_groups.find(subject_id) : undefined;
  if (group) return pushGroup(group, push, context);
  const user = kind === 'group' ? undefined : tables.idp_users.find(subject_id);
  if (!user) return Promise.resolve(DONE);
  // Somebody who came back is kept.
  if (push.deletes) return user.active ? Promise.resolve(DONE) : removeUser(user, context);
  return kind === 'patch' ? sendPatch(user, push, context) : pushUser(user, push, context);
}

const DONE: PushResult = { refusal: undefined };

async function testConnection({ client, dialect }: PushContext): Promise<PushResult> {
  const answer = await client.call('GET', dialect.test);
  return { refusal: isOk(answer) ? undefined : answer };
}

async function sendPatch(user: User, { patch = {} }: Push, { client }: PushContext): Promise<PushResult> {
  const answer = await client.call('PATCH', `/Users/${encodeURIComponent(user.scim_id ?? '')}`, patch);
  return { refusal: isOk(answer) ? undefined : answer };
}

/** A resource as the directory knows it. */
interface Found {
  refusal?: ScimAnswer;
  id?: string;
}

/** Providers look for the resource before they make one. */
async function lookUp(
  { client, dialect }: PushContext,
  type: 'Users' | 'Groups',
  value: string,
): Promise<Found> {
  const filter = `${type === 'Users' ? 'userName' : 'displayName'} eq ${JSON.stringify(value)}`;
  const query = new URLSearchParams({ ...(type === 'Groups' && dialect.groupQuery), filter }).toString();
  const answer = await client.call('GET', `/${type}?${query}`);
  if (!isOk(answer)) return { refusal: answer };
  const id = resourcesIn(answer)[0]?.['id'];
  return typeof id === 'string' ? { id } : {};
}

async function pushUser(user: User, { full }: Push, context: PushContext): Promise<PushResult> {
  if (user.deleted) return removeUser(user, context);
  const { scim_id: before } = user;
  let id = before ?? '';
  if (before === undefined || (full && !context.dialect.readsPages)) {
    const found = await lookUp(context, 'Users', user.user_name);
    if (found.refusal) return { refusal: found.refusal };
    if (found.id === undefined) return user.active ? createUser(user, context) : DONE;
    ({ id } = found);
  }
  const isKnown = id === before && !full;
  return updateUser({ ...user, scim_id: id }, isKnown ? changesOf(user) : profileOf(user), context);
}

async function createUser(user: User, { client, dialect }: PushContext): Promise<PushResult> {
  const answer = await client.call('POST', '/Users', dialect.createUser(user));
  if (!isOk(answer)) return { refusal: answer };
  return { refusal: undefined, user: { scim_id: String(answer.body['id']), pushed: profileOf(user) } };
}

function changesOf(user: User): Partial<Profile> {
  const before: Partial<Profile> = user.pushed ?? {};
  const now = profileOf(user);
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => before[name as keyof Profile] !== value),
  );
}

async function updateUser(
  user: User,
  changes: Partial<Profile>,
  { client, dialect }: PushContext,
): Promise<PushResult> {
  const names = Object.keys(changes);
  if (names.length === 0) return DONE;
  const isLeaving = names.length === 1 && changes.active === false;
  const { method, body } = isLeaving
    ? { method: 'PATCH', body: dialect.deactivate() }
    : dialect.updateUser(user, changes);
  const answer = await client.call(method, pathOf('Users', user.scim_id), body);
  // The directory does not know the person any more: the next attempt looks for them, and then creates them.
  if (answer.status === 404) return { refusal: answer, user: { scim_id: undefined, pushed: undefined } };
  if (!isOk(answer)) return { refusal: answer };
  return { refusal: undefined, user: { scim_id: user.scim_id, pushed: profileOf(user) } };
}

const pathOf = (type: 'Users' | 'Groups', id = '') => `/${type}/${encodeURIComponent(id)}`;

async function removeUser({ scim_id: id }: User, { client, dialect }: PushContext): Promise<PushResult> {
  if (id === undefined) return { refusal: undefined, isGone: true };
  const answer =
    dialect.deletion === 'delete'
      ? await client.call('DELETE', pathOf('Users', id))
      : await client.call('PATCH', pathOf('Users', id), dialect.deactivate());
  const isGone = isOk(answer) || answer.status === 404;
  return { refusal: isGone ? undefined : answer, isGone };
}

async function pushGroup(group: Group, push: Push, context: PushContext): Promise<PushResult> {
  const { client } = context;
  if (group.deleted) {
    if (group.scim_id === undefined) return { refusal: undefined, isGone: true };
    const answer = await client.call('DELETE', pathOf('Groups', group.scim_id));
    const isGone = isOk(answer) || answer.status === 404;
    return { refusal: isGone ? undefined : answer, isGone };
  }
  const wanted = push.without_members ? [] : membersOf(group, context);
  let id = group.scim_id ?? '';
  let known = group.pushed;
  if (id === '') {
    const found = await lookUp(context, 'Groups', group.display_name);
    if (found.refusal) return { refusal: found.refusal };
    if (found.id === undefined) return createGroup(group, wanted, context);
    ({ id } = found);
    known = { display_name: group.display_name, members: [] };
  }
  return updateGroup({ ...group, scim_id: id }, { known, wanted, full: push.full === true }, context);
}

/** Those of the members that the directory knows. */
const membersOf = ({ member_ids }: Group, { tables }: PushContext): Member[] =>
  member_ids.flatMap((id) => {
    const { scim_id: value, email: display, deleted } = tables.idp_users.find(id) ?? {};
    return value === undefined || deleted ? [] : [{ value, display: display ?? '' }];
  });

async function createGroup(group: Group, wanted: Member[], context: PushContext): Promise<PushResult> {
  const { client, dialect } = context;
  const body = dialect.createGroup(group, wanted);
  const answer = await client.call('POST', '/Groups', body);
  if (!isOk(answer)) return { refusal: answer };
  const members = 'members' in body ? wanted.map(({ value }) => value) : [];
  const known = { display_name: group.display_name, members };
  const created = { ...group, scim_id: String(answer.body['id']) };
  return updateGroup(created, { known, wanted, full: false }, context);
}

interface GroupChange {
  /** What the directory has. */
  known: Group['pushed'];
  wanted: readonly Member[];
  /** Whether members that the directory has are added, too. */
  full: boolean;
}

async function updateGroup(
  group: Group,
  { known = { display_name: '', members: [] }, wanted, full }: GroupChange,
  { client, dialect }: PushContext,
): Promise<PushResult> {
  const { scim_id: id = '', display_name } = group;
  const path = pathOf('Groups', id);
  const had = new Set(full ? [] : known.members);
  const wantedIds = new Set(wanted.map(({ value }) => value));
  const added = wanted.filter(({ value }) => !had.has(value));
  const removed = known.members.filter((value) => !wantedIds.has(value));
  const bodies = [
    ...(known.display_name === display_name ? [] : [dialect.renameGroup(display_name, id)]),
    ...(added.length > 0 ? [dialect.addMembers(added)] : []),
    ...(removed.length > 0 ? [dialect.removeMembers(removed)] : []),
  ];
  for (const body of bodies) {
    const answer = await client.call('PATCH', path, body);
    if (answer.status === 404) return { refusal: answer, group: { scim_id: undefined, pushed: undefined } };
    if (!isOk(answer)) return { refusal: answer, group: { scim_id: id, pushed: known } };
  }
  return { refusal: undefined, group: { scim_id: id, pushed: { display_name, members: [...wantedIds] } } };
}
