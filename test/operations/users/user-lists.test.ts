import { describe, expect, it } from 'vitest';
import { boot } from '../../support/boot.ts';
import {
  invalid,
  noPrefix,
  notFound,
  refusal,
  required,
  tooLong,
  tooShort,
} from '../../support/violations.ts';
import { ACME, EMPTY_DESK, NORDWIND } from '../../support/fixture-ids.ts';

const ORGANIZATIONS = '/api/v1/organizations';
const usersOf = (organization: string) => `${ORGANIZATIONS}/${organization}/users`;

const emails = (body: { users: { email: string }[] }) => body.users.map((user) => user.email);

describe('UserService_ListOrganizationUsers', () => {
  it('lists users in every status with all memberships, newest first', async () => {
    const { api } = await boot({ fixture: 'small' });

    const listed = await api.get(usersOf(ACME)).expect(200);

    expect(emails(listed.body)).toEqual([
      'marco@acme.example',
      'tom@acme.example',
      'nina@nordwind.example',
      'ravi@acme.example',
      'ada@acme.example',
    ]);
    expect(listed.body).toMatchObject({ total_size: 5, next_page_token: '', prev_page_token: '' });
    const nina = await api.get('/api/v1/users/crm-nordwind-nina').expect(200);
    expect(listed.body.users[2]).toEqual(nina.body.user);
    expect(nina.body.user.memberships).toHaveLength(2);
  });

  it('pages forwards and backwards, even with another page size', async () => {
    const { api } = await boot({ fixture: 'small' });
    const at = (query: string) => api.get(`${usersOf(ACME)}?${query}`).expect(200);

    const first = await at('page_size=3');
    const second = await at(`page_size=1&page_token=${first.body.next_page_token}`);
    const back = await at(`page_size=2&page_token=${second.body.prev_page_token}`);

    expect(emails(second.body)).toEqual(['ravi@acme.example']);
    expect(emails(back.body)).toEqual(['tom@acme.example', 'nina@nordwind.example']);
    expect(back.body).toMatchObject({ total_size: 5, next_page_token: first.body.next_page_token });
  });

  it('keeps page tokens valid when users are added and removed', async () => {
    const { api } = await boot({ fixture: 'small' });
    const first = await api.get(`${usersOf(ACME)}?page_size=2`).expect(200);
    await api.post(usersOf(ACME)).send({ email: 'new@acme.example' }).expect(201);
    await api.delete(`/api/v1/memberships/organizations/${ACME}/users/crm-nordwind-nina`).expect(200);

    const second = await api.get(`${usersOf(ACME)}?page_token=${first.body.next_page_token}`).expect(200);

    expect(emails(second.body)).toEqual(['ravi@acme.example', 'ada@acme.example']);
  });

  it('answers an empty page for an organization without users', async () => {
    const { api } = await boot({ fixture: 'small' });

    const listed = await api.get(usersOf(EMPTY_DESK)).expect(200);

    expect(listed.body).toEqual({ users: [], total_size: 0, next_page_token: '', prev_page_token: '' });
  });

  it.each([-1, 101])('refuses a page size of %i', async (size) => {
    const { api } = await boot({ fixture: 'small' });

    const refused = await api.get(`${usersOf(ACME)}?page_size=${size}`).expect(400);

    const outside = {
      field: 'page_size',
      description: 'value must be greater than or equal to 0 and less than or equal to 100',
      constraint: 'uint32.gte_lte',
    };
    expect(refused.body).toEqual(refusal(outside));
  });

  it('refuses an invalid page token and an invalid organization id', async () => {
    const { api } = await boot({ fixture: 'small' });

    const token = await api.get(`${usersOf(ACME)}?page_token=zz`).expect(400);
    const id = await api.get(usersOf('acme')).expect(400);

    expect(token.body).toEqual(invalid('invalid page_token'));
    expect(id.body).toEqual(refusal(noPrefix('org_')('organization_id')));
  });

  it('answers 404 for an unknown organization', async () => {
    const { api } = await boot({ fixture: 'small' });

    const refused = await api.get(usersOf('org_9')).expect(404);

    expect(refused.body).toEqual(notFound('organization org_9 not found'));
  });
});

describe('UserService_ListUsers', () => {
  it('lists the users of all organizations and users without one, newest first', async () => {
    const { api } = await boot({ fixture: 'small' });

    const listed = await api.get('/api/v1/users').expect(200);

    expect(emails(listed.body)).toEqual([
      'priya@contractor.example',
      'marco@acme.example',
      'lena@nordwind.example',
      'tom@acme.example',
      'nina@nordwind.example',
      'ravi@acme.example',
      'ada@acme.example',
    ]);
    expect(listed.body).toMatchObject({ total_size: 7, next_page_token: '', prev_page_token: '' });
    const nina = await api.get('/api/v1/users/crm-nordwind-nina').expect(200);
    expect(listed.body.users[4]).toEqual(nina.body.user);
  });

  it('pages forwards and backwards, even with another page size', async () => {
    const { api } = await boot({ fixture: 'small' });
    const at = (query: string) => api.get(`/api/v1/users?${query}`).expect(200);

    const first = await at('page_size=5');
    const second = await at(`page_size=1&page_token=${first.body.next_page_token}`);
    const back = await at(`page_size=50&page_token=${second.body.prev_page_token}`);

    expect(emails(second.body)).toEqual(['ravi@acme.example']);
    expect(emails(back.body)).toEqual(emails(first.body));
  });

  it('uses the default page size of the settings and at most 100', async () => {
    const { api, control } = await boot({ fixture: 'small' });
    await control.patch('/state/settings/settings').send({ default_page_size: 3 }).expect(200);

    const [none, zero, many] = [
      await api.get('/api/v1/users').expect(200),
      await api.get('/api/v1/users?page_size=0').expect(200),
      await api.get('/api/v1/users?page_size=1000').expect(200),
    ];

    expect([none, zero, many].map(({ body }) => body.users.length)).toEqual([3, 3, 7]);
  });

  it('refuses an invalid page token and a negative page size', async () => {
    const { api } = await boot({ fixture: 'small' });

    const token = await api.get('/api/v1/users?page_token=zz').expect(400);
    await api.get('/api/v1/users?page_size=-1').expect(400);

    expect(token.body).toEqual(invalid('invalid page_token'));
  });
});

const SEARCHES = [
  ['all users', '/api/v1/users:search'],
  ['the users of an organization', `${usersOf(ACME)}:search`],
] as const;

describe.each(SEARCHES)('the search of %s', (_, path) => {
  it.each([
    ['users by the local part of the email address', 'RAVI', ['ravi@acme.example']],
    ['a user by id', 'USR_10000000000000101', ['ada@acme.example']],
    ['a user by external id', 'Acme-Ada', ['ada@acme.example']],
    ['an invited user', 'marco', ['marco@acme.example']],
    ['no users by name', 'Okafor', []],
    ['no users without a match', 'zzz', []],
  ])('finds %s', async (__, query, found) => {
    const { api } = await boot({ fixture: 'small' });

    const { body } = await api.get(`${path}?query=${query}`).expect(200);

    expect(emails(body)).toEqual(found);
    expect(body).toMatchObject({ total_size: found.length, next_page_token: '', prev_page_token: '' });
  });

  it('pages through the results newest first and counts them', async () => {
    const { api } = await boot({ fixture: 'small' });
    const at = (query: string) => api.get(`${path}?query=@acme.example&${query}`).expect(200);

    const first = await at('page_size=3');
    const second = await at(`page_size=3&page_token=${first.body.next_page_token}`);

    expect(emails(first.body)).toEqual(['marco@acme.example', 'tom@acme.example', 'ravi@acme.example']);
    expect(emails(second.body)).toEqual(['ada@acme.example']);
    expect(second.body).toMatchObject({ total_size: 4, next_page_token: '' });
  });

  it('answers at most 30 users per page, even with a larger default', async () => {
    const { api, control } = await boot({ fixture: 'small' });
    await control.patch('/state/settings/settings').send({ default_page_size: 100 }).expect(200);
    for (let i = 1; i <= 31; i += 1)
      await api
        .post(usersOf(ACME))
        .send({ email: `zoe${i}@acme.example` })
        .expect(201);

    const { body } = await api.get(`${path}?query=zoe`).expect(200);

    expect(body.users).toHaveLength(30);
    expect(body.total_size).toBe(31);
  });

  it.each([
    ['', required('query')],
    ['?query=ab', tooShort(3)('query')],
    [`?query=${'x'.repeat(101)}`, tooLong(100)('query')],
    [
      '?query=ada&page_size=31',
      {
        field: 'page_size',
        description: 'value must be less than or equal to 30',
        constraint: 'uint32.lte',
      },
    ],
  ])('refuses %j', async (query, violation) => {
    const { api } = await boot({ fixture: 'small' });

    const refused = await api.get(`${path}${query}`).expect(400);

    expect(refused.body).toEqual(refusal(violation));
  });
});

describe('UserService_SearchOrganizationUsers', () => {
  it('finds only users of the organization', async () => {
    const { api } = await boot({ fixture: 'small' });

    const own = await api.get(`${usersOf(NORDWIND)}:search?query=lena`).expect(200);
    const other = await api.get(`${usersOf(ACME)}:search?query=lena`).expect(200);

    expect(emails(own.body)).toEqual(['lena@nordwind.example']);
    expect(other.body).toMatchObject({ users: [], total_size: 0 });
  });

  it('requires a known organization', async () => {
    const { api } = await boot({ fixture: 'small' });

    const unknown = await api.get(`${usersOf('org_9')}:search?query=ada`).expect(404);
    const malformed = await api.get(`${usersOf('acme')}:search?query=ada`).expect(400);

    expect(unknown.body).toEqual(notFound('organization org_9 not found'));
    expect(malformed.body).toEqual(refusal(noPrefix('org_')('organization_id')));
  });
});
