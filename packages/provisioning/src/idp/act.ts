import type { ControlInput } from '@understudy/core/contract/types';
import type { Env, Rows } from '@understudy/core/state/env';
import { ApiError, failedPrecondition, invalidArgument } from '@understudy/core/contract/errors';
import { DIALECTS } from './dialects.ts';
import { parseDuration } from '@understudy/text/duration';
import { queuePush, type NewPush } from './pushes.ts';
import { connectedApp, findGroup, groupOf, newGroup, newUser, personOf } from './connect.ts';
import { given } from '@understudy/text/json';

type App = Rows['idp_apps'];
type User = Rows['idp_users'];
type Group = Rows['idp_groups'];
type IdpAction = ControlInput<'Control_ActAsIdp'>['body'];

/** Changes what the provider has, and queues what it pushes. Returns the application and the ids of the pushes. */
export function act(env: Env, action: IdpAction): { app: App; pushes: readonly string[] } {
  const before = new Set(env.idp_pushes.list().map(({ id }) => id));
  const app = connectedApp(env, action);
  const actor = new Actor(env, app, laterBy(action.late, app));
  const synced = ACTIONS[action.action](actor, action) ?? [];
  const made = env.idp_pushes.list('app_id', app.id).filter(({ id }) => !before.has(id));
  return { app: env.idp_apps.get(app.id), pushes: [...synced, ...made.map(({ id }) => id)] };
}

/** In milliseconds. */
const LONGEST = 3650 * 86_400_000;

function laterBy(late: string | undefined, { provider }: App): number {
  if (late === undefined) return 0;
  const distance = late === 'cycle' ? DIALECTS[provider].cycle : parseDuration(late);
  if (distance === undefined)
    throw invalidArgument(`late: ${late} is no duration such as 40m, and not cycle`);
  if (distance > LONGEST) throw invalidArgument(`late: ${late} is longer than ten years`);
  return distance;
}

/** What one provider does with its people and groups. */
class Actor {
  readonly env: Env;
  readonly app: App;
  readonly #delay: number;

  constructor(env: Env, app: App, delay: number) {
    this.env = env;
    this.app = app;
    this.#delay = delay;
  }

  get dialect() {
    return DIALECTS[this.app.provider];
  }

  person(email: string | undefined): User {
    return personOf(this.env, this.app, email);
  }

  /** The groups with these names; missing ones are made. */
  groups(names: readonly string[]): Group[] {
    return [...new Set(names)].map((name) => findGroup(this.env, this.app, name) ?? this.makeGroup(name));
  }

  makeGroup(display_name: string): Group {
    const { id: app_id, provider } = this.app;
    return this.env.idp_groups.insert(newGroup(this.env, { app_id, provider, display_name }));
  }

  pushUser(user: Pick<User, 'id' | 'email'>, more: Partial<NewPush> = {}): void {
    this.push({ kind: 'user', subject_id: user.id, label: user.email, ...more });
  }

  pushGroup(group: Pick<Group, 'id' | 'display_name'>, more: Partial<NewPush> = {}): void {
    this.push({ kind: 'group', subject_id: group.id, label: group.display_name, ...more });
  }

  push(push: NewPush): void {
    const due = this.#delay > 0 && { next_attempt_at: this.env.clock.after(this.#delay) };
    queuePush(this.env, this.app.id, { ...due, ...push });
  }

  /** Puts the person into these groups and takes them out of all others. Returns the groups that have changed. */
  setGroups(user: User, wanted: readonly Group[]): Group[] {
    const ids = new Set(wanted.map(({ id }) => id));
    const changed: Group[] = [];
    for (const group of this.env.idp_groups.list('app_id', this.app.id)) {
      const has = group.member_ids.includes(user.id);
      if (has === ids.has(group.id)) continue;
      const member_ids = has
        ? group.member_ids.filter((id) => id !== user.id)
        : [...group.member_ids, user.id];
      changed.push(this.env.idp_groups.update(group.id, { member_ids }));
    }
    return changed;
  }

  create({ user: email, given_name, family_name, groups = [] }: IdpAction): void {
    if (email === undefined) throw invalidArgument('user is required: the e-mail address of the new person');
    const { id: app_id, provider } = this.app;
    const taken = this.env.idp_users
      .list('email', email.toLowerCase())
      .some((each) => each.app_id === app_id);
    if (taken) throw new ApiError('already_exists', `user: ${provider} has ${email} already`);
    const user = this.env.idp_users.insert({
      ...newUser(this.env, { app_id, provider, email }),
      ...given({ given_name, family_name }),
    });
    const changed = this.setGroups(user, this.groups(groups));
    if (this.dialect.groupsFirst)
      for (const group of changed) this.pushGroup(group, { without_members: true });
    this.pushUser(user);
    for (const group of changed) this.pushGroup(group);
  }

  delete(user: User): void {
    const changed = this.setGroups(user, []);
    this.env.idp_users.update(user.id, { deleted: true });
    this.pushUser(user);
    for (const group of changed) this.pushGroup(group);
  }

  setActive(user: User, active: boolean): void {
    this.env.idp_users.update(user.id, { active });
    this.pushUser(user);
  }

  /** Some providers deactivate first, and delete after some weeks. */
  offboard(user: User): void {
    const { keepsLeavers, deletion } = this.dialect;
    if (deletion === 'delete' && keepsLeavers === undefined) return this.delete(user);
    const changed = this.setGroups(user, []);
    this.setActive(user, false);
    for (const group of changed) this.pushGroup(group);
    if (keepsLeavers === undefined) return;
    const next_attempt_at = this.env.clock.after(keepsLeavers);
    this.pushUser(user, { deletes: true, next_attempt_at });
  }

  pushAll(): void {
    const { env, app } = this;
    const groups = env.idp_groups.list('app_id', app.id);
    if (this.dialect.readsPages) this.push({ kind: 'read', label: 'all users and groups' });
    if (this.dialect.groupsFirst)
      for (const group of groups) if (!group.scim_id) this.pushGroup(group, { without_members: true });
    for (const user of env.idp_users.list('app_id', app.id)) this.pushUser(user, { full: true });
    for (const group of groups) this.pushGroup(group, { full: true });
  }

  /** Returns the ids of earlier pushes that are due now. */
  sync(): string[] {
    const waiting = this.env.idp_pushes
      .list('app_id', this.app.id)
      .filter(({ status, deletes, kind }) => status !== 'DONE' && !deletes && kind !== 'patch');
    for (const { id } of waiting)
      this.env.idp_pushes.update(id, { status: 'QUEUED', next_attempt_at: undefined });
    return waiting.map(({ id }) => id);
  }
}

const ACTIONS: Readonly<Record<IdpAction['action'], (actor: Actor, action: IdpAction) => string[] | void>> = {
  push_all: (actor) => actor.pushAll(),

  create: (actor, action) => actor.create(action),

  change(actor, { user, email, given_name, family_name }) {
    const { id } = actor.person(user);
    const changes = {
      ...(email !== undefined && { email, user_name: email }),
      ...given({ given_name, family_name }),
    };
    if (Object.keys(changes).length === 0)
      throw invalidArgument('give what changes: email, given_name or family_name');
    actor.pushUser(actor.env.idp_users.update(id, changes));
  },

  move(actor, { user, groups }) {
    if (groups === undefined) throw invalidArgument('groups is required: the names of the groups');
    const changed = actor.setGroups(actor.person(user), actor.groups(groups));
    for (const group of changed) actor.pushGroup(group);
  },

  deactivate: (actor, { user }) => actor.setActive(actor.person(user), false),

  activate: (actor, { user }) => actor.setActive(actor.person(user), true),

  delete: (actor, { user }) => actor.delete(actor.person(user)),

  recreate(actor, action) {
    const user = actor.person(action.user);
    const { given_name, family_name, email } = user;
    const groups = actor.env.idp_groups.list('member_ids', user.id).map(({ display_name }) => display_name);
    actor.delete(user);
    const names = { ...(given_name && { given_name }), ...(family_name && { family_name }) };
    actor.create({ groups, ...names, ...action, user: email });
  },

  offboard: (actor, { user }) => actor.offboard(actor.person(user)),

  create_group(actor, { group_name: name }) {
    if (name === undefined) throw invalidArgument('group_name is required: the name of the new group');
    if (findGroup(actor.env, actor.app, name))
      throw new ApiError('already_exists', `group_name: ${actor.app.provider} has ${name} already`);
    actor.pushGroup(actor.makeGroup(name));
  },

  rename_group(actor, { group_name, new_name: display_name }) {
    if (display_name === undefined) throw invalidArgument('new_name is required: the new name of the group');
    const { id } = groupOf(actor.env, actor.app, group_name);
    actor.pushGroup(actor.env.idp_groups.update(id, { display_name }));
  },

  delete_group(actor, { group_name }) {
    const { id } = groupOf(actor.env, actor.app, group_name);
    actor.pushGroup(actor.env.idp_groups.update(id, { deleted: true, member_ids: [] }));
  },

  sync: (actor) => actor.sync(),

  send_patch(actor, { user: email, patch }) {
    const user = actor.person(email);
    if (!user.scim_id)
      throw failedPrecondition(`user: ${email} was not pushed yet, so there is nothing to patch`);
    const wrong = (patch ?? actor.dialect.wrongPatch(user)) as Record<string, unknown>;
    actor.push({ kind: 'patch', subject_id: user.id, label: user.email, patch: wrong });
  },
};
