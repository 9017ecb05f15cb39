import type { ControlOutput } from '@understudy/core/contract/types';
import type { Tables, Rows } from '@understudy/core/state/env';
import { profileOf } from './dialects.ts';

type App = Rows['idp_apps'];
type View = ControlOutput<'Control_ActAsIdp'>;

/** The provider with its people and groups; `pushes`: the ids of those that are shown, or all. */
export function viewIdp(tables: Tables, app: App, pushes?: readonly string[]): View {
  const { directory_id, provider, base_url } = app;
  const users = tables.idp_users.list('app_id', app.id);
  const groups = tables.idp_groups.list('app_id', app.id);
  const shown = pushes && new Set(pushes);
  return {
    provider,
    organization_id: tables.directories.get(directory_id).organization_id,
    directory_id,
    endpoint: `${base_url}/directory/${directory_id}/scim/v2`,
    users: users.filter(({ deleted }) => !deleted).map((user) => viewUser(tables, user)),
    groups: groups.filter(({ deleted }) => !deleted).map((group) => viewGroup(tables, group)),
    pushes: tables.idp_pushes.list('app_id', app.id).filter(({ id }) => !shown || shown.has(id)),
  };
}

function viewUser(tables: Tables, user: Rows['idp_users']): View['users'][number] {
  const { scim_id, external_id, pushed } = user;
  const profile = profileOf(user);
  const groups = tables.idp_groups.list('member_ids', user.id).map(({ display_name }) => display_name);
  const names = Object.keys(profile) as (keyof typeof profile)[];
  const is_pushed = names.every((name) => pushed?.[name] === profile[name]);
  return { ...profile, external_id, groups, ...(scim_id && { directory_user_id: scim_id }), is_pushed };
}

function viewGroup(tables: Tables, group: Rows['idp_groups']): View['groups'][number] {
  const { display_name: name, external_id, scim_id, pushed, member_ids } = group;
  const people = member_ids.flatMap((id) => tables.idp_users.find(id) ?? []);
  const known = new Set(pushed?.members);
  const is_pushed =
    pushed?.display_name === name &&
    known.size === people.length &&
    people.every((user) => user.scim_id !== undefined && known.has(user.scim_id));
  const members = people.map(({ email }) => email);
  return { name, members, external_id, ...(scim_id && { directory_group_id: scim_id }), is_pushed };
}
