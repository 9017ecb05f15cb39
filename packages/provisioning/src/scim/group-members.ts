import type { Env, Rows } from '@understudy/core/state/env';
import type { Pushing } from './pushing.ts';
import { refusal } from './refusals.ts';
import { textIn } from './user-rows.ts';

type User = Rows['directory_users'];
type Group = Rows['directory_groups'];

/** The members that a provider wants a group to have. */
interface WantedMembers {
  ids: ReadonlySet<string>;
  /** Those that the directory does not know yet. */
  waiting: readonly string[];
}

/** A member is named by id. Unverified (scim/members-by-name): the `externalId` and the `userName` of a user count, too. */
export function wantedMembers({ env, directory }: Pushing, values: readonly string[]): WantedMembers {
  const withUserName = (name: string) =>
    env.directory_users.list('user_name', `${directory.id} ${name.toLowerCase()}`)[0];
  const ids = new Set<string>();
  const unknown = new Set<string>();
  for (const value of values) {
    if (env.directory_users.find(value)?.directory_id === directory.id) ids.add(value);
    else if (env.directory_groups.find(value)?.directory_id === directory.id)
      throw refusal('invalidValue', `members: ${value} is a group; groups have users as members`);
    else unknown.add(value);
  }
  for (const name of unknown) {
    const user = env.directory_users.list('dp_id', `${directory.id} ${name}`)[0] ?? withUserName(name);
    if (!user) continue;
    env.decidedBy('scim/members-by-name');
    unknown.delete(name);
    ids.add(user.id);
  }
  const waiting = [...unknown];
  refuseLong(waiting);
  return { ids, waiting };
}

/** The names of all members of a group that the directory does not know yet, in characters. */
const LONGEST_WAITING = 1_000_000;

function refuseLong(waiting: readonly string[]): void {
  const length = waiting.reduce((sum, name) => sum + name.length, 0);
  if (length > LONGEST_WAITING)
    throw refusal(
      'invalidValue',
      `members: the names of unknown members have ${length} characters; at most ${LONGEST_WAITING} are kept`,
    );
}

const namesOf = ({ detail = {}, preferred_username }: User): string[] =>
  [textIn(detail, 'dp_id'), preferred_username].filter(
    (name) => name !== undefined && name !== '',
  ) as string[];

export function waitingMembers({ detail }: Group): string[] {
  const waiting = detail?.['waiting_members'];
  return Array.isArray(waiting) ? waiting.map(String) : [];
}

/** Users join and leave. Returns how many did. */
export function setMembers(
  env: Env,
  group: Group,
  ids: ReadonlySet<string>,
): { joined: number; left: number } {
  const members = new Map(env.directory_users.list('group_ids', group.id).map((user) => [user.id, user]));
  const left = [...members.values()].filter(({ id }) => !ids.has(id));
  const joined = [...ids].filter((id) => !members.has(id)).map((id) => env.directory_users.get(id));
  for (const user of left)
    setGroups(
      env,
      user,
      user.group_ids.filter((id) => id !== group.id),
    );
  for (const user of joined) setGroups(env, user, [...user.group_ids, group.id]);
  return { joined: joined.length, left: left.length };
}

const setGroups = (env: Env, { id }: User, group_ids: string[]): User =>
  env.directory_users.update(id, { group_ids, updated_at: env.clock.iso() });

/** Groups that were pushed before the user get the user as a member. */
export function joinWaitingGroups({ env, directory }: Pushing, user: User): void {
  const names = new Set(namesOf(user));
  for (const group of env.directory_groups.list('directory_id', directory.id)) {
    const waiting = waitingMembers(group);
    if (!waiting.some((name) => names.has(name))) continue;
    const waiting_members = waiting.filter((name) => !names.has(name));
    env.directory_groups.update(group.id, {
      updated_at: env.clock.iso(),
      detail: { ...group.detail, waiting_members },
    });
    const now = env.directory_users.get(user.id);
    setGroups(env, now, [...now.group_ids, group.id]);
  }
}
