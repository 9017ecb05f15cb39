import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../support/boot.ts';
import { ENGINEERING, FINANCE, NORDWIND, OKTA, putGroup, putUser } from '../../support/directories.ts';
import { invalid, noPrefix, refusal } from '../../support/violations.ts';

const USERS = `${OKTA}/users`;
const GROUPS = `${OKTA}/groups`;
const [ADA, RAVI, TOM] = ['621', '622', '623'].map((end) => `diruser_10000000000000${end}`);

type Row = { id: string };
const ids = (rows: Row[]) => rows.map(({ id }) => id);

const ENGINEERING_ITEM = {
  id: ENGINEERING,
  display_name: 'Engineering',
  total_users: 2,
  updated_at: '2026-01-14T09:05:00.000Z',
};
const FINANCE_ITEM = {
  id: FINANCE,
  display_name: 'Finance',
  total_users: 1,
  updated_at: '2026-01-20T09:00:00.000Z',
};

/** The two list operations and the function that adds a row. */
const LISTS = [
  ['ListDirectoryUsers', USERS, 'users', putUser],
  ['ListDirectoryGroups', GROUPS, 'groups', putGroup],
] as const;

async function fill(control: Agent, put: typeof putUser, count: number) {
  for (let n = 1; n <= count; n += 1) await put(control, n);
}

describe('DirectoryService_ListDirectoryUsers', () => {
  it('lists users with their groups, newest first', async () => {
    const { api } = await boot();

    const listed = await api.get(USERS).expect(200);

    expect(ids(listed.body.users)).toEqual([TOM, RAVI, ADA]);
    expect(listed.body).toMatchObject({ total_size: 3, next_page_token: '', prev_page_token: '' });
    expect(listed.body.users[1]).toEqual({
      id: RAVI,
      email: 'ravi@acme.example',
      preferred_username: 'ravi',
      given_name: 'Ravi',
      family_name: 'Menon',
      updated_at: '2026-01-20T09:00:00.000Z',
      emails: ['ravi@acme.example'],
      groups: [ENGINEERING_ITEM, FINANCE_ITEM],
    });
  });

  it('answers empty values for attributes that the directory does not have', async () => {
    const { api } = await boot();

    const { body } = await api.get(USERS).expect(200);

    expect(body.users[0]).toMatchObject({ id: TOM, preferred_username: '', emails: [], groups: [] });
  });

  it('returns user_detail with include_detail=true', async () => {
    const { api } = await boot();

    const { body } = await api.get(`${USERS}?include_detail=true`).expect(200);

    expect(body.users[1].user_detail).toEqual({
      id: RAVI,
      email: 'ravi@acme.example',
      preferred_username: 'ravi',
      given_name: 'Ravi',
      family_name: 'Menon',
      active: true,
      title: 'Controller',
      department: 'Finance',
      groups: [
        { id: ENGINEERING, name: 'Engineering' },
        { id: FINANCE, name: 'Finance' },
      ],
    });
  });

  it.each([
    [ENGINEERING, [RAVI, ADA]],
    [FINANCE, [RAVI]],
    ['dirgroup_9', []],
  ])('filters by the group %s: %j', async (group, members) => {
    const { api } = await boot();

    const { body } = await api.get(`${USERS}?directory_group_id=${group}`).expect(200);

    expect(ids(body.users)).toEqual(members);
    expect(body.total_size).toBe(members.length);
  });

  it('answers an empty list for a group of another directory', async () => {
    const { api } = await boot();

    const path = `${NORDWIND}/dir_10000000000000603/users?directory_group_id=${ENGINEERING}`;
    const { body } = await api.get(path).expect(200);

    expect(body).toMatchObject({ users: [], total_size: 0 });
  });

  it('leaves out a deleted group', async () => {
    const { api, control } = await boot();

    await control.delete(`/state/directory_groups/${ENGINEERING}`).expect(204);

    const { body } = await api.get(USERS).expect(200);
    expect(body.users[1]).toMatchObject({ id: RAVI, groups: [FINANCE_ITEM] });
  });

  it('refuses a group id without its prefix', async () => {
    const { api } = await boot();

    const refused = await api.get(`${USERS}?directory_group_id=finance`).expect(400);

    expect(refused.body).toEqual(refusal(noPrefix('dirgroup_')('directory_group_id')));
  });
});

describe('DirectoryService_ListDirectoryGroups', () => {
  it('lists groups with the number of their users, newest first', async () => {
    const { api } = await boot();

    const { body } = await api.get(GROUPS).expect(200);

    expect(body).toEqual({
      groups: [FINANCE_ITEM, ENGINEERING_ITEM],
      total_size: 2,
      next_page_token: '',
      prev_page_token: '',
    });
  });

  it('returns group_detail with include_detail=true', async () => {
    const { api } = await boot();

    const { body } = await api.get(`${GROUPS}?include_detail=true`).expect(200);

    expect(body.groups.map((group: { group_detail: object }) => group.group_detail)).toEqual([
      {
        id: FINANCE,
        display_name: 'Finance',
        external_id: '00g2finance',
        description: 'Everyone who pays bills',
      },
      { id: ENGINEERING, display_name: 'Engineering', external_id: '00g1engineering' },
    ]);
  });

  it('lists untracked groups with include_external_groups=true', async () => {
    const { api } = await boot();
    const path = `${NORDWIND}/dir_10000000000000603/groups`;

    const tracked = await api.get(path).expect(200);
    const all = await api.get(`${path}?include_external_groups=true`).expect(200);

    expect(tracked.body).toMatchObject({ groups: [], total_size: 0 });
    expect(all.body).toMatchObject({ groups: [{ display_name: 'Vertrieb' }], total_size: 1 });
  });
});

describe.each(LISTS)('DirectoryService_%s', (_, path, member, put) => {
  const rowsOf = (body: Record<string, Row[]>) => ids(body[member]!);

  it('answers 10 rows per page by default', async () => {
    const { api, control } = await boot();
    await fill(control, put, 31);

    for (const [query, size] of Object.entries({ '': 10, '?page_size=0': 10, '?page_size=30': 30 })) {
      const { body } = await api.get(`${path}${query}`).expect(200);
      expect(body[member]).toHaveLength(size);
    }
  });

  it('pages through every row once, and backwards', async () => {
    const { api, control } = await boot();
    await fill(control, put, 5);
    const whole = await api.get(path).expect(200);
    const seen: string[] = [];
    let token = '';
    do {
      const { body } = await api.get(`${path}?page_size=2&page_token=${token}`).expect(200);
      seen.push(...rowsOf(body));
      token = body.next_page_token;
    } while (token !== '');

    expect(seen).toEqual(rowsOf(whole.body));
    const second = await api.get(`${path}?page_size=2&page_token=${await nextOf(api, path)}`).expect(200);
    const back = await api.get(`${path}?page_size=2&page_token=${second.body.prev_page_token}`).expect(200);
    expect(rowsOf(back.body)).toEqual(seen.slice(0, 2));
  });

  it('filters by updated_after, exclusive', async () => {
    const { api, control } = await boot();
    const id = await put(control, 1, { updated_at: '2026-03-02T09:00:00.000Z' });

    const after = async (time: string) => {
      const { body } = await api.get(`${path}?updated_after=${encodeURIComponent(time)}`).expect(200);
      expect(body.total_size).toBe(body[member].length);
      return rowsOf(body);
    };

    expect(await after('2026-03-02T08:59:59.999Z')).toEqual([id]);
    expect(await after('2026-03-02T10:59:59+02:00')).toEqual([id]);
    expect(await after('2026-03-02T09:00:00Z')).toEqual([]);
    expect(await after('1970-01-01T00:00:00Z')).toEqual(rowsOf((await api.get(path)).body));
  });

  it.each([
    ['page_size=31', { field: 'page_size', constraint: 'uint32.lte' }],
    ['updated_after=yesterday', { field: 'updated_after' }],
    ['include_detail=perhaps', { field: 'include_detail' }],
  ])('refuses %s', async (query, violation) => {
    const { api } = await boot();

    const { body } = await api.get(`${path}?${query}`).expect(400);

    expect(body.details[0].validation_error_info.field_violations).toMatchObject([violation]);
  });

  it('refuses an invalid page token', async () => {
    const { api } = await boot();

    const refused = await api.get(`${path}?page_token=2`).expect(400);

    expect(refused.body).toEqual(invalid('invalid page_token'));
  });
});

const nextOf = async (api: Agent, path: string) =>
  (await api.get(`${path}?page_size=2`).expect(200)).body.next_page_token as string;
