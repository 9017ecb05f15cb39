import { describe, expect, it } from 'vitest';
import { connect, missing, violated } from '../support/accounts.ts';
import { boot, type Agent } from '../support/boot.ts';

const PROVIDERS = '/api/v1/providers';
const CUSTOM = '/api/v1/custom-providers';
const CELLAR = 'CELLARBOOKS:10000000000000001';
const HARVEST = 'HARVESTDESK:10000000000000002';
const BUILT_IN = [
  'GMAIL',
  'SLACK',
  'GITHUB',
  'NOTION',
  'HUBSPOT',
  'SALESFORCE',
  'GOOGLECALENDAR',
  'LINEAR',
  'JIRA',
  'FRESHDESK',
  'EXA',
  'APIFYMCP',
  'GOOGLEDWD',
  'GOOGLEDRIVE',
  'GONG',
  'FATHOM',
  'ATTENTION',
  'GITHUBPAT',
  'BIGQUERYSERVICEACCOUNT',
  'GOOGLE_ADS',
  'CHORUS',
  'CLARI',
  'SNOWFLAKE',
  'YOUTUBE',
  'ZENDESK',
  'APOLLO',
  'GOOGLESHEETS',
  'ATTIO',
  'SLACKMCP',
  'NOTIONMCP',
  'PAGERDUTY',
  'CONFLUENCE',
  'GITLAB',
];

const BEARER = {
  type: 'BEARER',
  fields: [{ field_name: 'token', hint: 'From your account', required: true }],
};
const MINE = { display_name: 'Vine Yard 2', auth_patterns: [BEARER], proxy_url: 'https://api.vine.example' };
const THEIRS = { identifier: 'VINE-1', display_name: 'Vine', auth_patterns: [BEARER] };

const list = async (api: Agent, query = '') => (await api.get(`${PROVIDERS}?${query}`).expect(200)).body;
const identifiers = async (api: Agent, query: string) =>
  (await list(api, query)).providers.map(({ identifier }: { identifier: string }) => identifier);
const createCustom = async (api: Agent, wanted: object = {}) =>
  (
    await api
      .post(CUSTOM)
      .send({ ...MINE, ...wanted })
      .expect(201)
  ).body.provider;
const create = async (api: Agent, wanted: object = {}) =>
  (
    await api
      .post(PROVIDERS)
      .send({ ...THEIRS, ...wanted })
      .expect(200)
  ).body.provider;

describe('ProviderService_ListProviders', () => {
  it('returns a built-in provider without its internal fields', async () => {
    const { api } = await boot();

    const { providers } = await list(api, 'identifier=EXA');

    expect(providers).toEqual([
      {
        id: 'prv_20000000000000011',
        identifier: 'EXA',
        display_name: 'Exa',
        description: 'Search of the web, and answers from it.',
        categories: ['search'],
        auth_patterns: [
          {
            type: 'API_KEY',
            display_name: 'API key',
            fields: [{ field_name: 'api_key', label: 'API key', input_type: 'password', required: true }],
          },
        ],
        icon_src: 'https://cdn.example.com/icons/exa.svg',
        display_priority: 89,
        coming_soon: false,
        proxy_url: 'https://api.exa.ai',
        proxy_enabled: true,
        is_custom: false,
        is_custom_mcp: false,
        metadata: {},
      },
    ]);
  });

  it.each<[string, string[]]>([
    ['', BUILT_IN],
    ['filter.provider_type=DEFAULT', BUILT_IN],
    ['filter.provider_type=CUSTOM', [CELLAR, HARVEST]],
    ['filter.providerType=ALL', [...BUILT_IN, CELLAR, HARVEST]],
    [`identifier=${CELLAR}`, [CELLAR]],
    [`identifier=${CELLAR}&filter.provider_type=DEFAULT`, []],
    ['identifier=exa', []],
    ['identifier=', BUILT_IN],
  ])('filters by "%s"', async (query, expected) => {
    const { api } = await boot();

    const { total_size } = await list(api, query);

    expect(await identifiers(api, `page_size=100&${query}`)).toEqual(expected);
    expect(total_size).toBe(expected.length);
  });

  it('pages forwards and backwards', async () => {
    const { api } = await boot();
    const first = await list(api, 'page_size=5');
    const second = await list(api, `page_size=5&page_token=${first.next_page_token}`);
    const back = await list(api, `page_size=5&page_token=${second.prev_page_token}`);

    expect(second.providers[0]).toMatchObject({ identifier: 'SALESFORCE' });
    expect(back).toEqual(first);
    expect((await list(api)).providers).toHaveLength(10);
  });
});

describe('ProviderService_CreateCustomProvider', () => {
  it('stores a provider and generates its identifier', async () => {
    const { api } = await boot();
    const metadata = { owner_team: 'cellar' };

    const provider = await createCustom(api, { description: 'd', proxy_enabled: true, metadata });

    expect(provider).toEqual({
      id: expect.stringMatching(/^prv_\d{17,}$/),
      identifier: expect.stringMatching(/^VINEYARD2:\d{17,}$/),
      display_name: 'Vine Yard 2',
      description: 'd',
      categories: [],
      auth_patterns: [BEARER],
      icon_src: '',
      display_priority: 0,
      coming_soon: false,
      proxy_url: 'https://api.vine.example',
      proxy_enabled: true,
      is_custom: true,
      is_custom_mcp: false,
      metadata,
    });
    expect((await list(api, `identifier=${provider.identifier}`)).providers).toEqual([provider]);
  });

  it('accepts the same name twice', async () => {
    const { api } = await boot();

    const [first, second] = [await createCustom(api), await createCustom(api)];

    expect(first.identifier).not.toBe(second.identifier);
  });

  it.each([
    [{ type: 'OAUTH' }, { type: 'OAUTH', fields: [], oauth_config: { pkce_enabled: true } }],
    [
      { type: 'OAUTH', oauth_config: { token_uri: 'https://a.example', pkce_enabled: false } },
      { type: 'OAUTH', fields: [], oauth_config: { token_uri: 'https://a.example', pkce_enabled: false } },
    ],
    [
      { type: 'NO_AUTH', mine: [1] },
      { type: 'NO_AUTH', mine: [1], fields: [] },
    ],
  ])('completes the auth pattern %j', async (body, kept) => {
    const { api } = await boot();

    const provider = await createCustom(api, { auth_patterns: [body] });

    expect(provider.auth_patterns).toEqual([kept]);
  });

  it('creates an MCP provider when a pattern has is_mcp, and its connections have an mcp_server_url', async () => {
    const { api, control } = await boot();

    const provider = await createCustom(api, { auth_patterns: [{ ...BEARER, is_mcp: true }] });
    await connect(control, 'vine', { provider_key: provider.identifier });

    expect(provider).toMatchObject({ is_custom: true, is_custom_mcp: true });
    const { connections } = (await api.get('/api/v1/connections?include=all').expect(200)).body;
    const vine = connections.find(({ key_id }: { key_id: string }) => key_id === 'vine');
    expect(vine.mcp_server_url).toMatch(/\/mcp\/v3\/connections\/vine$/);
  });

  it.each([
    ['provider.display_name', 'string.pattern', { display_name: ' ' }],
    ['provider.display_name', 'string.pattern', { display_name: 'Vine-Yard' }],
    ['provider.proxy_url', 'string.pattern', { proxy_url: 'http://api.vine.example' }],
    ['provider.proxy_url', 'required', { proxy_url: undefined }],
    ['provider.icon_src', 'string.pattern', { icon_src: 'icon.svg' }],
    ['provider.auth_patterns', 'required', { auth_patterns: undefined }],
    ['provider.auth_patterns[0].type', 'enum.defined_only', { auth_patterns: [{ type: 'MAGIC' }] }],
  ])('enforces the rule of %s (%s)', async (field, constraint, wrong) => {
    const { api } = await boot();

    expect(await api.post(CUSTOM).send({ ...MINE, ...wrong })).toMatchObject(violated(field, constraint));
  });
});

describe('ProviderService_CreateProvider', () => {
  it('stores a provider under the given identifier', async () => {
    const { api } = await boot();

    const provider = await create(api, { categories: ['crm'], display_priority: -3, coming_soon: true });

    expect(provider).toMatchObject({
      identifier: 'VINE-1',
      categories: ['crm'],
      display_priority: -3,
      coming_soon: true,
      is_custom: false,
      proxy_url: '',
    });
    expect(await identifiers(api, 'page_size=100')).toEqual([...BUILT_IN, 'VINE-1']);
  });

  it('does not create a custom MCP provider', async () => {
    const { api } = await boot();

    const provider = await create(api, { auth_patterns: [{ ...BEARER, is_mcp: true }] });

    expect(provider).toMatchObject({ is_custom: false, is_custom_mcp: false });
  });

  it('refuses a taken identifier', async () => {
    const { api } = await boot();

    const refused = await api.post(PROVIDERS).send({ ...THEIRS, identifier: 'GMAIL' });

    expect(refused).toMatchObject({
      status: 409,
      body: { message: 'provider GMAIL exists already', details: [{ error_code: 'ALREADY_EXISTS' }] },
    });
  });
});

/** The operations of both kinds of providers, with a function that creates one of that kind. */
const KINDS = [
  ['ProviderService_UpdateProvider', 'ProviderService_DeleteProvider', PROVIDERS, create],
  ['ProviderService_UpdateCustomProvider', 'ProviderService_DeleteCustomProvider', CUSTOM, createCustom],
] as const;

describe.each(KINDS)('%s', (_, __, path, make) => {
  it('changes the given fields only', async () => {
    const { api } = await boot();
    const before = await make(api, { description: 'old', proxy_enabled: true });
    const wanted = { ...MINE, display_name: 'New', description: 'new', auth_patterns: [{ type: 'OAUTH' }] };

    const { body } = await api.put(`${path}/${before.identifier}`).send(wanted).expect(200);

    expect(body.provider).toEqual({
      ...before,
      display_name: 'New',
      description: 'new',
      proxy_url: MINE.proxy_url,
      auth_patterns: [{ type: 'OAUTH', fields: [], oauth_config: { pkce_enabled: true } }],
    });
    expect((await list(api, `identifier=${before.identifier}`)).providers).toEqual([body.provider]);
  });

  it('answers 404 for an unknown provider', async () => {
    const { api } = await boot();

    const refused = await api.put(`${path}/NOPE`).send(MINE);

    expect(refused).toMatchObject({ status: 404, body: { details: [{ error_code: 'RESOURCE_NOT_FOUND' }] } });
  });
});

describe.each(KINDS)('%s, %s', (_, __, path, make) => {
  it('deletes the provider', async () => {
    const { api } = await boot();
    const { identifier } = await make(api);

    const { body } = await api.delete(`${path}/${identifier}`).expect(200);

    expect(body).toEqual({});
    expect(await identifiers(api, 'filter.provider_type=ALL&page_size=100')).not.toContain(identifier);
    await api.delete(`${path}/${identifier}`).expect(404);
  });

  it('refuses a provider that a connection uses', async () => {
    const { api, control } = await boot();
    const { identifier } = await make(api);
    await connect(control, 'vine', { provider_key: identifier });

    const refused = await api.delete(`${path}/${identifier}`);

    expect(refused).toMatchObject({
      status: 400,
      body: { code: 9, message: `provider ${identifier} is in use by 1 connection(s)` },
    });
    expect((await list(api, `identifier=${identifier}`)).total_size).toBe(1);
  });
});

describe('custom providers', () => {
  it('replace their metadata as a whole', async () => {
    const { api } = await boot();

    const wanted = { ...MINE, metadata: { region: 'eu' } };
    const { body } = await api.put(`${CUSTOM}/${CELLAR}`).send(wanted).expect(200);

    expect(body.provider.metadata).toEqual({ region: 'eu' });
  });

  it.each(['put', 'delete'] as const)(
    'are the only providers that %s of a custom provider finds',
    async (verb) => {
      const { api } = await boot();

      const refused = await api[verb](`${CUSTOM}/GMAIL`).send(verb === 'put' ? MINE : undefined);

      expect(refused).toMatchObject(missing('custom provider GMAIL not found'));
    },
  );
});

describe('a built-in provider', () => {
  it('is deleted with its tools', async () => {
    const { api, control } = await boot();
    await control.delete('/state/connections/conn_10000000000000211').expect(204);

    await api.delete(`${PROVIDERS}/EXA`).expect(200);

    const tools = (await api.get('/api/v1/tools?filter.provider=EXA').expect(200)).body;
    expect(tools.total_size).toBe(0);
  });
});
