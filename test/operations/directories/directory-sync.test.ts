import { describe, expect, it } from 'vitest';
import { boot, type Agent, type Booted } from '../../support/boot.ts';
import {
  DISABLED,
  ENGINEERING,
  FINANCE,
  makeDirectory,
  NORDWIND,
  OKTA,
  putGroup,
  putUser,
} from '../../support/directories.ts';
import { doneByRule, toldBy, typesOf } from '../../support/events.ts';
import { invalid } from '../../support/violations.ts';
import { RAVI } from '../../support/fixture-ids.ts';

const GOOGLE = `${NORDWIND}/dir_10000000000000603`;
const NOW = '2026-03-02T09:00:00.000Z';

const choose = (api: Agent, directory: string, ...external_ids: string[]) =>
  api.put(`${directory}/groups:assign`).send({ external_ids });

async function membersOf(api: Agent, directory: string) {
  const [users, groups] = [await api.get(`${directory}/users`), await api.get(`${directory}/groups`)];
  return {
    users: users.body.users.map(({ email }: { email: string }) => email),
    groups: groups.body.groups.map((group: { display_name: string; total_users: number }) => [
      group.display_name,
      group.total_users,
    ]),
  };
}

const rolesOf = async (api: Agent, user: string): Promise<string[]> => {
  const { body } = await api.get(`/api/v1/users/${user}`).expect(200);
  return body.user.memberships[0].roles.map(({ name }: { name: string }) => name);
};

describe('DirectoryService_TriggerDirectorySync', () => {
  it('brings the groups that the provider has, and notes the time', async () => {
    const { api } = await boot({ now: NOW });

    const events = await toldBy(api, () => api.get(`${GOOGLE}:sync`).expect(200, {}));

    expect(typesOf(events)).toEqual(['organization.directory.group_created']);
    expect(await membersOf(api, GOOGLE)).toEqual({ users: [], groups: [['Vertrieb', 0]] });
    const { body } = await api.get(GOOGLE).expect(200);
    expect(body.directory).toMatchObject({
      status: 'COMPLETED',
      last_synced_at: NOW,
      groups_tracked: 'ALL',
      total_groups: 1,
      stats: { total_groups: 1, group_updated_at: NOW },
    });
  });

  it('brings the chosen groups and their members only, and gives back what they had', async () => {
    const { api } = await boot();
    await choose(api, OKTA, '00g1engineering').expect(200, {});
    expect(await rolesOf(api, RAVI)).toEqual(['billing_viewer']);

    const left = await toldBy(api, () => api.get(`${OKTA}:sync`).expect(200));

    expect(await membersOf(api, OKTA)).toEqual({
      users: ['ravi@acme.example', 'ada@acme.example'],
      groups: [['Engineering', 2]],
    });
    const { body } = await api.get(`${OKTA}/users?include_detail=true`).expect(200);
    expect(body.users[0].groups).toMatchObject([{ id: ENGINEERING }]);
    expect(body.users[0].user_detail.groups).toEqual([{ id: ENGINEERING, name: 'Engineering' }]);
    expect(await rolesOf(api, RAVI)).toEqual(['member']);
    expect(typesOf(left)).toEqual([
      'organization.directory.group_deleted',
      'organization.directory.user_deleted',
      'user.organization_membership_updated',
    ]);

    await choose(api, OKTA, '00g1engineering', '00g2finance').expect(200);
    await api.get(`${OKTA}:sync`).expect(200);
    expect((await membersOf(api, OKTA)).groups).toEqual([
      ['Finance', 1],
      ['Engineering', 2],
    ]);
    expect(await rolesOf(api, RAVI)).toContain('billing_viewer');
    expect((await api.get(OKTA)).body.directory).toMatchObject({
      groups_tracked: 'SELECTED',
      total_users: 2,
    });
  });

  it('shows a member of several groups with those that are tracked', async () => {
    const { api } = await boot();
    await choose(api, OKTA, '00g2finance').expect(200);
    await api.get(`${OKTA}:sync`).expect(200);

    const { body } = await api.get(`${OKTA}/users?directory_group_id=${FINANCE}`).expect(200);

    expect(body.users).toMatchObject([{ email: 'ravi@acme.example', groups: [{ id: FINANCE }] }]);
  });

  it('causes no event for what is there already', async () => {
    const { api } = await boot();

    expect(await toldBy(api, () => api.get(`${OKTA}:sync`).expect(200))).toEqual([]);
  });

  it('refuses a disabled directory and an unknown one', async () => {
    const { api } = await boot();

    const refused = await api.get(`${DISABLED}:sync`).expect(400);
    await api.get(`${NORDWIND}/dir_10000000000000601:sync`).expect(404);

    expect(refused.body).toMatchObject({
      code: 9,
      message: 'directory is disabled; enable it before it syncs',
    });
  });
});

describe('DirectoryService_AssignGroupsForDirectory', () => {
  it('says which group the provider does not have, and changes nothing', async () => {
    const { api } = await boot();

    const refused = await choose(api, OKTA, '00g1engineering', '00g2finence').expect(400);

    expect(refused.body).toEqual(
      invalid(
        'external_ids: directory dir_10000000000000601 has no group 00g2finence; did you mean 00g2finance?',
      ),
    );
    expect((await api.get(OKTA)).body.directory.groups_tracked).toBe('');
  });

  it('wants at least one group', async () => {
    const { api } = await boot();

    const refused = await choose(api, OKTA).expect(400);

    expect(refused.body.details[0].validation_error_info.field_violations).toMatchObject([
      { field: 'external_ids' },
    ]);
  });
});

describe('DirectoryService_ListDirectoryGroupsSummary', () => {
  it('lists all tracked groups with id and name', async () => {
    const { api, control } = await boot();
    for (let number = 1; number <= 40; number += 1) await putGroup(control, number);
    await putGroup(control, 41, { external: true });

    const { body } = await api.get(`${OKTA}/groups/summary`).expect(200);

    expect(body).toMatchObject({ total_size: 42, next_page_token: '', prev_page_token: '' });
    expect(body.groups).toHaveLength(42);
    expect(body.groups.slice(-2)).toEqual([
      { id: FINANCE, display_name: 'Finance' },
      { id: ENGINEERING, display_name: 'Engineering' },
    ]);
  });

  it('is empty for a new directory', async () => {
    const { api } = await boot();
    const { id, organization_id } = await makeDirectory(api);

    const { body } = await api
      .get(`/api/v1/organizations/${organization_id}/directories/${id}/groups/summary`)
      .expect(200);

    expect(body).toEqual({ groups: [], total_size: 0, next_page_token: '', prev_page_token: '' });
  });
});

const match = { id: FINANCE };

/** Who deletes the group Finance besides a tester. */
const WAYS: [string, (booted: Booted) => Promise<unknown>][] = [
  [
    'the state of a scenario',
    ({ control }) =>
      control
        .post('/scenarios')
        .send({ name: 'gone', state: { directory_groups: [{ delete: { match } }] } })
        .expect(201),
  ],
  ['a rule of a scenario', (booted) => doneByRule(booted, { directory_groups: [{ delete: { match } }] })],
];

describe('a deleted group', () => {
  const remove = ({ control }: Booted, query = '') =>
    control.delete(`/state/directory_groups/${FINANCE}${query}`).expect(204);

  it('takes its roles away from its members', async () => {
    const booted = await boot();
    await putUser(booted.control, 1, { email: 'tom@acme.example', group_ids: [FINANCE, ENGINEERING] });
    const assignments = [ENGINEERING, FINANCE].map((group_id) => ({ group_id, role_name: 'billing_viewer' }));
    await booted.api
      .put(`${OKTA}/groups/-/roles:assign`)
      .send({ assignments: assignments.slice(1) })
      .expect(200);

    await remove(booted);

    expect(await rolesOf(booted.api, RAVI)).toEqual(['member']);
  });

  it.each(WAYS)('takes its roles away when %s deletes it', async (_, removeBy) => {
    const booted = await boot();
    const assignments = [{ group_id: FINANCE, role_name: 'billing_viewer' }];
    await booted.api.put(`${OKTA}/groups/-/roles:assign`).send({ assignments }).expect(200);

    await removeBy(booted);

    expect(await rolesOf(booted.api, RAVI)).toEqual(['member']);
  });

  it('leaves the roles that another group of the member gives', async () => {
    const booted = await boot();
    const assignments = [ENGINEERING, FINANCE].map((group_id) => ({ group_id, role_name: 'billing_viewer' }));
    await booted.api.put(`${OKTA}/groups/-/roles:assign`).send({ assignments }).expect(200);

    await remove(booted);

    expect(await rolesOf(booted.api, RAVI)).toEqual(['billing_viewer']);
  });

  it('causes an event for itself, for each member and for each changed membership', async () => {
    const booted = await boot();

    const events = await toldBy(booted.api, () => remove(booted, '?events=true'));

    expect(typesOf(events)).toEqual([
      'organization.directory.group_deleted',
      'organization.directory.user_updated',
      'user.organization_membership_updated',
    ]);
    expect(events[1]!.data).toMatchObject({
      email: 'ravi@acme.example',
      groups: [{ id: ENGINEERING, name: 'Engineering' }],
      roles: [],
    });
  });
});
