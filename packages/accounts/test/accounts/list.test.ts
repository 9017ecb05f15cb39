import { describe, expect, it } from 'vitest';
import { ACCOUNTS, connect, create, invalid, long, violated } from '../../../../test/support/accounts.ts';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import { ACME, NINA, NORDWIND } from '../../../../test/support/fixture-ids.ts';

const idsOf = async (api: Agent, path: string) => {
  const { body } = await api.get(path).expect(200);
  return body.connected_accounts.map(({ id }: { id: string }) => Number(id.slice(-3)));
};

describe('ConnectedAccountService_ListConnectedAccounts', () => {
  it('lists accounts newest first', async () => {
    const { api } = await boot({ fixture: 'small' });

    const list = await api.get(ACCOUNTS).expect(200);

    expect(list.body).toMatchObject({ total_size: 10, next_page_token: '', prev_page_token: '' });
    expect(list.body.connected_accounts[9]).toEqual({
      id: 'ca_10000000000000301',
      connection_id: 'conn_10000000000000201',
      is_org_wide_credential: false,
      connector: 'gmail',
      provider: 'GMAIL',
      identifier: 'default',
      authorization_type: 'OAUTH',
      status: 'ACTIVE',
      updated_at: '2026-01-10T09:00:00.000Z',
      token_expires_at: expect.any(String),
      last_used_at: expect.any(String),
    });
    expect(await idsOf(api, ACCOUNTS)).toEqual([310, 309, 308, 307, 306, 305, 304, 303, 302, 301]);
  });

  it.each([
    [`organization_id=${ACME}`, [307, 306, 305, 304, 302]],
    [`user_id=${NINA}`, [303, 302]],
    [`organization_id=${NORDWIND}&user_id=${NINA}`, [303]],
    ['connector=slack', [303, 302]],
    ['identifier=ada@acme.example', [306, 305]],
    ['connector=notion&identifier=ada@acme.example', [305]],
    [`connector=slack&organization_id=${ACME}`, [302]],
    ['provider=GITHUB', [304]],
    ['provider=github', [304]],
    ['provider=hub', []],
    ['query=NORDWIND', [303, 302]],
    ['query=slack', [303, 302]],
    ['connection_names=slack', [303, 302]],
    ['connection_names=slack&connection_names=exa', [309, 303, 302]],
    [`connection_names=slack&organization_id=${ACME}`, [302]],
    ['connector=nope', []],
    ['connector=GMAIL', []],
    ['identifier=nobody', []],
    ['organization_id=org_1', []],
    [
      'connector=&identifier=&provider=&query=&organization_id=&user_id=',
      [310, 309, 308, 307, 306, 305, 304, 303, 302, 301],
    ],
  ])('filters by %s', async (filter, ids) => {
    const { api } = await boot({ fixture: 'small' });

    const list = await api.get(`${ACCOUNTS}?${filter}`).expect(200);

    expect(await idsOf(api, `${ACCOUNTS}?${filter}`)).toEqual(ids);
    expect(list.body.total_size).toBe(ids.length);
  });

  it('refuses connector and connection_names together', async () => {
    const { api } = await boot({ fixture: 'small' });

    const refused = await api.get(`${ACCOUNTS}?connector=slack&connection_names=slack`);

    expect(refused).toMatchObject(violated('connector', 'connector_or_connection_names_not_both'));
  });

  it('pages forwards and backwards, even when the page size changes', async () => {
    const { api } = await boot({ fixture: 'small' });
    const at = (size: number, token: string) =>
      api.get(`${ACCOUNTS}?page_size=${size}&page_token=${encodeURIComponent(token)}`).expect(200);
    const ids = ({ body }: { body: { connected_accounts: { id: string }[] } }) =>
      body.connected_accounts.map(({ id }) => Number(id.slice(-3)));

    const first = await at(4, '');
    const second = await at(3, first.body.next_page_token);
    const third = await at(5, second.body.next_page_token);
    const back = await at(2, third.body.prev_page_token);

    expect([first, second, third, back].map(ids)).toEqual([
      [310, 309, 308, 307],
      [306, 305, 304],
      [303, 302, 301],
      [305, 304],
    ]);
    expect([first, second, third, back].map(({ body }) => body.total_size)).toEqual([10, 10, 10, 10]);
    expect([first.body.prev_page_token, third.body.next_page_token]).toEqual(['', '']);
  });

  it('pages within a filter', async () => {
    const { api } = await boot({ fixture: 'small' });
    const filter = `organization_id=${ACME}&page_size=3`;

    const first = await api.get(`${ACCOUNTS}?${filter}`).expect(200);
    const rest = await idsOf(api, `${ACCOUNTS}?${filter}&page_token=${first.body.next_page_token}`);

    expect(first.body).toMatchObject({ total_size: 5, connected_accounts: { length: 3 } });
    expect(rest).toEqual([304, 302]);
  });

  it.each(['', '?page_size=0'])(
    'applies the default page size of the environment for "%s"',
    async (query) => {
      const { api, control } = await boot({ fixture: 'small' });
      await control.patch('/state/settings/settings').send({ default_page_size: 3 }).expect(200);

      const list = await api.get(`${ACCOUNTS}${query}`).expect(200);

      expect(list.body.connected_accounts).toHaveLength(3);
    },
  );

  it('refuses an invalid page token', async () => {
    const { api } = await boot({ fixture: 'small' });

    const refused = await api.get(`${ACCOUNTS}?page_token=garbage`);

    expect(refused).toMatchObject(invalid('invalid page_token'));
  });

  it.each([
    ['page_size', 'page_size=100', 'uint32.lte'],
    ['page_size', 'page_size=-1', 'uint32.gte'],
    ['page_token', `page_token=${long(101)}`, 'string.max_len'],
    ['provider', `provider=${long(51)}`, 'string.max_len'],
    ['query', `query=${long(101)}`, 'string.max_len'],
    ['organization_id', `organization_id=${long(33)}`, 'string.max_len'],
    ['user_id', `user_id=${long(33)}`, 'string.max_len'],
    ['connector', `connector=${long(401)}`, 'string.max_len'],
    ['connector', 'connector=a/b', 'string.pattern'],
    ['identifier', `identifier=${long(101)}`, 'string.max_len'],
    ['connection_names', `${'connection_names=a&'.repeat(20)}connection_names=a`, 'repeated.max_items'],
    ['connection_names[1]', 'connection_names=a&connection_names=', 'string.min_len'],
    ['connection_names[1]', 'connection_names=a&connection_names=a/b', 'string.pattern'],
    ['connection_names[0]', `connection_names=${long(401)}`, 'string.max_len'],
  ])('enforces the limits of %s: %s', async (field, query, constraint) => {
    const { api } = await boot({ fixture: 'small' });

    const refused = await api.get(`${ACCOUNTS}?${query}`);

    expect(refused).toMatchObject(violated(field, constraint));
  });

  it('accepts a page size of 99', async () => {
    const { api } = await boot({ fixture: 'small' });

    const list = await api.get(`${ACCOUNTS}?page_size=99`).expect(200);

    expect(list.body.connected_accounts).toHaveLength(10);
  });
});

describe('ConnectedAccountService_SearchConnectedAccounts', () => {
  const SEARCH = `${ACCOUNTS}:search`;

  it.each([
    ['an identifier', 'desk', [308]],
    ['an identifier in another case', 'RESEARCH-BOT', [310, 309]],
    ['a provider', 'GITHUB', [304]],
    ['a connector', 'googlecal', [306]],
    ['a text in several identifiers', 'a@acme', [306, 305]],
    ['a text without matches', 'zzz', []],
    ['a text that occurs only in credentials', 'test_slack', []],
    ['three characters', 'exa', [309, 306, 305, 304, 303, 302]],
  ])('finds accounts by %s: %s', async (_, text, ids) => {
    const { api } = await boot({ fixture: 'small' });

    const found = await api.get(`${SEARCH}?query=${encodeURIComponent(text)}`).expect(200);

    expect(await idsOf(api, `${SEARCH}?query=${encodeURIComponent(text)}`)).toEqual(ids);
    expect(found.body).toMatchObject({ total_size: ids.length, next_page_token: '', prev_page_token: '' });
  });

  it('finds an account by a connector name that differs from its provider', async () => {
    const { api, control } = await boot({ fixture: 'small' });
    await connect(control, 'workmail', { provider_key: 'GMAIL' });
    const { id } = await create(api, { connector: 'workmail', identifier: 'lea' });

    const found = await api.get(`${SEARCH}?query=WorkM`).expect(200);

    expect(found.body.connected_accounts).toMatchObject([{ id, connector: 'workmail', provider: 'GMAIL' }]);
  });

  it('filters by connection_id', async () => {
    const { api } = await boot({ fixture: 'small' });

    const ids = await idsOf(api, `${SEARCH}?query=ada@acme&connection_id=conn_10000000000000204`);

    expect(ids).toEqual([305]);
  });

  it('pages through the results', async () => {
    const { api } = await boot({ fixture: 'small' });

    const first = await api.get(`${SEARCH}?query=acme.example&page_size=2`).expect(200);
    const path = `${SEARCH}?query=acme.example&page_size=2&page_token=${first.body.next_page_token}`;
    const second = await api.get(path).expect(200);

    expect(first.body).toMatchObject({ total_size: 3, prev_page_token: '' });
    expect(second.body).toMatchObject({ total_size: 3, next_page_token: '' });
    expect([await idsOf(api, `${SEARCH}?query=acme.example&page_size=2`), await idsOf(api, path)]).toEqual([
      [306, 305],
      [304],
    ]);
  });

  it.each([
    ['query', '', 'required'],
    ['query', 'query=ab', 'string.min_len'],
    ['query', `query=${long(201)}`, 'string.max_len'],
    ['page_size', 'query=abc&page_size=31', 'uint32.lte'],
    ['connection_id', `query=abc&connection_id=${long(33)}`, 'string.max_len'],
  ])('enforces the limits of %s: %s', async (field, query, constraint) => {
    const { api } = await boot({ fixture: 'small' });

    const refused = await api.get(`${SEARCH}?${query}`);

    expect(refused).toMatchObject(violated(field, constraint));
  });

  it('refuses an invalid page token', async () => {
    const { api } = await boot({ fixture: 'small' });

    const refused = await api.get(`${SEARCH}?query=abc&page_token=garbage`);

    expect(refused).toMatchObject(invalid('invalid page_token'));
  });
});
