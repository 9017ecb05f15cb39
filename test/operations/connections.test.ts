import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';
import { addDomain, create, createReady, pathOf } from '../support/connections.ts';
import { refusal, tooLong, tooShort } from '../support/violations.ts';
import { NORDWIND } from '../support/fixture-ids.ts';

const PATH = '/api/v1/connections';
const ids = (body: { connections: { id: string }[] }) => body.connections.map(({ id }) => id);

describe('ConnectionService_ListConnections', () => {
  it('lists the connections of an organization', async () => {
    const { api } = await boot();

    const listed = await api.get(`${PATH}?organization_id=org_10000000000000001`).expect(200);

    expect(listed.body).toEqual({
      connections: [
        {
          id: 'conn_10000000000000251',
          provider: 'OKTA',
          provider_key: 'OKTA',
          type: 'OIDC',
          status: 'COMPLETED',
          enabled: true,
          organization_id: 'org_10000000000000001',
          organization_name: 'Acme Corp',
          ui_button_title: 'Sign in with Okta',
          domains: expect.arrayContaining(['acme.example']),
          key_id: '',
          created_at: '2026-01-13T09:00:00.000Z',
          mcp_server_url: '',
          auth_mode: 'USER',
        },
      ],
    });
  });

  it('lists the connections of the environment when no organization is given', async () => {
    const { api } = await boot({ baseUrl: 'https://idp.example' });

    const listed = await api.get(PATH).expect(200);

    const byKey = new Map(listed.body.connections.map((c: { key_id: string }) => [c.key_id, c]));
    expect(byKey.get('gmail')).toMatchObject({
      organization_id: '',
      organization_name: '',
      mcp_server_url: 'https://idp.example/mcp/v3/connections/gmail',
    });
    expect(byKey.get('apifymcp')).toMatchObject({
      mcp_server_url: 'https://idp.example/mcp/v3/connections/apifymcp',
    });
    expect([...byKey.keys()]).toEqual(expect.arrayContaining(['gmail', 'slack', 'github', 'notion']));
  });

  it('leaves out unfinished and disabled connections unless include=all is given', async () => {
    const { api, control } = await boot();
    await control.patch('/state/connections/conn_10000000000000201').send({ enabled: false }).expect(200);
    await control.patch('/state/connections/conn_10000000000000202').send({ status: 'DRAFT' }).expect(200);
    const hidden = ['201', '202', '252', '241', '253'].map((end) => `conn_10000000000000${end}`);

    const usable = await api.get(PATH).expect(200);
    const all = await api.get(`${PATH}?include=all`).expect(200);

    expect(ids(all.body)).toEqual(expect.arrayContaining(hidden));
    expect(ids(usable.body)).toEqual(ids(all.body).filter((id) => !hidden.includes(id)));
  });

  it('finds the connections of a domain in any letter case', async () => {
    const { api, control } = await boot();
    await addDomain(control, 'dom_91', 'Nordwind.test');
    const all = await createReady(api);
    const narrow = await createReady(api);
    await api
      .put(`${pathOf(narrow)}/domains`)
      .send({ domain_ids: [] })
      .expect(200);
    const find = async (query: string) => ids((await api.get(`${PATH}?${query}`).expect(200)).body);

    expect(await find('domain=nordwind.TEST')).toEqual([all.id]);
    await api
      .put(`${pathOf(narrow)}/domains`)
      .send({ domain_ids: ['dom_91'] })
      .expect(200);
    expect(await find('domain=nordwind.test')).toEqual([all.id, narrow.id]);
    expect(await find(`domain=nordwind.test&organization_id=${NORDWIND}`)).toEqual([all.id, narrow.id]);
    expect(await find('domain=nordwind.test&organization_id=org_10000000000000001')).toEqual([]);
    expect(await find('domain=test')).toEqual([]);
  });

  it('ignores domains of the type ALLOWED_EMAIL_DOMAIN', async () => {
    const { api, control } = await boot();
    await addDomain(control, 'dom_91', 'guests.test', { domain_type: 'ALLOWED_EMAIL_DOMAIN' });
    await createReady(api);

    const listed = await api.get(`${PATH}?domain=guests.test&include=all`).expect(200);

    expect(listed.body).toEqual({ connections: [] });
  });

  it('answers an empty list for an organization without connections', async () => {
    const { api } = await boot();

    const listed = await api.get(`${PATH}?organization_id=org_9&include=all`).expect(200);

    expect(listed.body).toEqual({ connections: [] });
  });

  it('requires organization_id and domain of 1 to 32 characters', async () => {
    const { api } = await boot();

    const long = 'x'.repeat(33);
    const refused = await api.get(`${PATH}?organization_id=${long}&domain=`).expect(400);
    const other = await api.get(`${PATH}?organization_id=&domain=${long}`).expect(400);

    expect(refused.body).toEqual(refusal(tooLong(32)('organization_id'), tooShort(1)('domain')));
    expect(other.body).toEqual(refusal(tooShort(1)('organization_id'), tooLong(32)('domain')));
  });
});

/** Collects the ids of all pages. */
async function pages(api: Agent, path: string): Promise<string[]> {
  const found: string[] = [];
  for (let token = ''; ;) {
    const { body } = await api.get(`${path}&page_token=${token}`).expect(200);
    found.push(...ids(body));
    token = body.next_page_token;
    if (token === '') return found;
  }
}

describe('ConnectionService_ListOrganizationConnections', () => {
  const ALL = '/api/v1/organizations/-/connections';

  it('lists the connections of all organizations in any status, newest first', async () => {
    const { api } = await boot();
    const { id } = await create(api, { provider: 'OKTA', type: 'SAML' }, NORDWIND);

    const listed = await api.get(ALL).expect(200);

    const fixture = ['253', '252', '251'].map((end) => `conn_10000000000000${end}`);
    expect(ids(listed.body)).toEqual([id, ...fixture]);
    expect(listed.body).toMatchObject({ total_size: 4, next_page_token: '', prev_page_token: '' });
    expect(listed.body.connections[2]).toMatchObject({ organization_name: 'Nordwind GmbH', enabled: false });
  });

  it('pages forwards and backwards', async () => {
    const { api } = await boot();

    const first = await api.get(`${ALL}?page_size=2`).expect(200);
    const second = await api.get(`${ALL}?page_size=2&page_token=${first.body.next_page_token}`).expect(200);
    const back = await api.get(`${ALL}?page_size=2&page_token=${second.body.prev_page_token}`).expect(200);

    expect([ids(first.body).length, ids(second.body).length]).toEqual([2, 1]);
    expect(ids(back.body)).toEqual(ids(first.body));
    expect(await pages(api, `${ALL}?page_size=1`)).toEqual([...ids(first.body), ...ids(second.body)]);
  });

  it.each([ALL, `${ALL}:search`, `${PATH}/app`])(
    'refuses page sizes above 30 and invalid page tokens at %s',
    async (path) => {
      const { api } = await boot();

      const refused = await api.get(`${path}?page_size=31`).expect(400);
      const token = await api.get(`${path}?page_token=nope`).expect(400);

      expect(refused.body).toEqual(
        refusal({
          field: 'page_size',
          description: 'value must be less than or equal to 30',
          constraint: 'uint32.lte',
        }),
      );
      expect(token.body.message).toBe('invalid page_token');
      await api.get(`${path}?page_size=30`).expect(200);
    },
  );
});

describe('ConnectionService_SearchOrganizationConnections', () => {
  const SEARCH = '/api/v1/organizations/-/connections:search';
  const [okta, entra, custom] = ['251', '252', '253'].map((end) => `conn_10000000000000${end}`);

  it.each([
    ['', [custom, entra, okta]],
    ['query=', [custom, entra, okta]],
    ['query=OKTA', [okta]],
    ['query=entra', [entra]],
    ['query=desk', [custom]],
    ['query=acme.EXAMPLE', [okta]],
    ['query=gmail', []],
    ['provider=OKTA', [okta]],
    ['provider=okta', []],
    ['provider=', [custom, entra, okta]],
    ['status=IN_PROGRESS', [entra]],
    ['status=CONNECTION_STATUS_UNSPECIFIED', [custom, entra, okta]],
    ['connection_type=OIDC', [custom, okta]],
    ['connection_type=INVALID', [custom, entra, okta]],
    ['enabled=true', [okta]],
    ['enabled=false', [custom, entra]],
    ['enabled=false&connection_type=OIDC&status=DRAFT', [custom]],
  ])('filters by %s', async (query, expected) => {
    const { api } = await boot();

    const found = await api.get(`${SEARCH}?${query}`).expect(200);

    expect(ids(found.body)).toEqual(expected);
    expect(found.body.total_size).toBe(expected.length);
  });

  it('pages through the results', async () => {
    const { api } = await boot();

    expect(await pages(api, `${SEARCH}?connection_type=OIDC&page_size=1`)).toEqual([custom, okta]);
  });

  it('refuses a query of more than 100 characters', async () => {
    const { api } = await boot();

    const refused = await api.get(`${SEARCH}?query=${'x'.repeat(101)}`).expect(400);

    expect(refused.body).toEqual(refusal(tooLong(100)('query')));
  });
});

describe('ConnectionService_ListAppConnections', () => {
  const APP = `${PATH}/app`;

  it('lists only connections for connected accounts, without organization and login connections', async () => {
    const { api } = await boot({ fixture: 'small' });
    const app = await create(api, { provider: 'OKTA', type: 'OIDC' }, undefined, '?flags.is_app=true');
    const login = { provider: 'GITHUB', type: 'OAUTH' };
    await create(api, login, undefined, '?flags.is_login=true');
    await create(api, { provider: 'OKTA', type: 'OIDC' });
    await create(api, { provider: 'OKTA', type: 'OIDC' }, NORDWIND);
    await create(api, { ...login, key_id: 'neither' }, undefined, '?flags.is_app=false');

    const found = await pages(api, `${APP}?page_size=5`);

    const catalogue = [
      220,
      219,
      218,
      217,
      216,
      215,
      214,
      ...Array.from({ length: 12 }, (_, i) => 212 - i),
    ].map((end) => `conn_10000000000000${end}`);
    expect(found).toEqual([app.id, ...catalogue]);
  });

  it('includes unfinished and disabled connections', async () => {
    const { api } = await boot();
    const { id } = await create(api, { provider: 'CUSTOM', type: 'OAUTH' });

    const listed = await api.get(APP).expect(200);

    expect(listed.body.connections[0]).toMatchObject({ id, status: 'DRAFT', enabled: false });
  });

  it.each([
    ['provider=GMAIL', ['gmail']],
    ['provider=gmail', []],
    ['provider=OKTA', []],
    ['query=hUb', ['githubpat', 'hubspot', 'github']],
    ['query=google%20cal', ['googlecalendar']],
    ['query=connect%20exa', ['exa']],
    ['provider=GITHUB&query=hub', ['github']],
  ])('filters by %s', async (query, expected) => {
    const { api } = await boot({ fixture: 'small' });

    const listed = await api.get(`${APP}?${query}`).expect(200);

    expect(listed.body.connections.map(({ key_id }: { key_id: string }) => key_id)).toEqual(expected);
    expect(listed.body.total_size).toBe(expected.length);
  });

  it('finds a connection by its new provider_key after an update', async () => {
    const { api } = await boot();
    await api.patch(`${PATH}/conn_10000000000000204`).send({ provider_key: 'WIKI' }).expect(200);

    const listed = await api.get(`${APP}?provider=WIKI`).expect(200);

    expect(ids(listed.body)).toEqual(['conn_10000000000000204']);
  });

  it('enforces the limits of its filters', async () => {
    const { api } = await boot();

    const short = await api.get(`${APP}?provider=&query=ab`).expect(400);
    const long = await api.get(`${APP}?provider=${'x'.repeat(51)}&query=${'x'.repeat(101)}`).expect(400);

    expect(short.body).toEqual(refusal(tooShort(1)('provider'), tooShort(3)('query')));
    expect(long.body).toEqual(refusal(tooLong(50)('provider'), tooLong(100)('query')));
  });
});

describe('the fixture default', () => {
  it.each(
    'gmail GMAIL MY_GMAIL googlecalendar MY_CALENDAR calendar slack SLACK github github-connect notion hubspot salesforce linear jira googledrive FRESHDESK chorus clari clari-copilot snowflake'.split(
      ' ',
    ),
  )('has the connection %s of the guides, for which an account can be made', async (connector) => {
    const { environment } = await boot();
    const { api } = await environment('guides', { fixture: 'default' });

    const { body } = await api
      .post('/api/v1/connected_accounts')
      .send({ connector, identifier: 'user_123', connected_account: {} })
      .expect(201);
    const link = await api
      .post('/api/v1/connected_accounts/magic_link')
      .send({ connector, identifier: 'user_123' })
      .expect(200);

    expect(body.connected_account).toMatchObject({ connector, status: 'PENDING_AUTH' });
    expect(link.body.link).toMatch(/^http/);
  });
});
