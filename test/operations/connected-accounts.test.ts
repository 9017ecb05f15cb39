import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../support/boot.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const ACCOUNTS = '/api/v1/connected_accounts';
const ACME = 'org_10000000000000001';
const NORDWIND = 'org_10000000000000002';
const NINA = 'usr_10000000000000103';
const SLACK_OF_ACME = 'ca_10000000000000302';
const SLACK_OF_NORDWIND = 'ca_10000000000000303';

const TOKEN = { access_token: 'at-1', refresh_token: 'rt-1', scopes: ['a'], domain: 'acme' };
const oauth = (token: object = TOKEN) => ({ authorization_details: { oauth_token: token } });

async function create(api: Agent, wanted: object = {}) {
  const account = { connector: 'gmail', identifier: 'lea@acme.example', connected_account: {}, ...wanted };
  const { body } = await api.post(ACCOUNTS).send(account).expect(201);
  return body.connected_account as { id: string } & Record<string, unknown>;
}

const auth = async (api: Agent, id: string) =>
  (await api.get(`${ACCOUNTS}/auth?id=${id}`).expect(200)).body.connected_account;

/** A connection that the fixture does not have. */
async function connect(control: Agent, key_id: string, wanted: object) {
  const connection = {
    provider: 'CUSTOM',
    provider_key: key_id.toUpperCase(),
    type: 'OAUTH',
    status: 'COMPLETED',
    enabled: true,
    ui_button_title: '',
    domains: [],
    created_at: NOW,
    updated_at: NOW,
  };
  const id = `conn_9000000000000000${key_id.length}`;
  await control
    .put(`/state/connections/${id}`)
    .send({ ...connection, key_id, ...wanted })
    .expect(200);
}

const failure = (status: number, message: string, code: number, error_code: string) => ({
  status,
  body: { code, message, details: [{ error_code }] },
});
const invalid = (message: string) => failure(400, message, 3, 'INVALID_ARGUMENT');
const missing = (message: string) => failure(404, message, 5, 'RESOURCE_NOT_FOUND');

const violated = (field: string, constraint: string) => ({
  status: 400,
  body: {
    code: 3,
    details: [
      {
        error_code: 'INVALID_ARGUMENT',
        validation_error_info: { field_violations: [expect.objectContaining({ field, constraint })] },
      },
    ],
  },
});

const long = (length: number) => 'x'.repeat(length);

describe('ConnectedAccountService_CreateConnectedAccount', () => {
  it('stores an account that still has to be authorized', async () => {
    const { api } = await boot({ now: NOW });

    const account = await create(api);

    expect(account).toEqual({
      id: expect.stringMatching(/^ca_\d{17,}$/),
      connection_id: 'conn_10000000000000201',
      connector: 'gmail',
      provider: 'GMAIL',
      identifier: 'lea@acme.example',
      authorization_type: 'OAUTH',
      status: 'PENDING_AUTH',
      updated_at: NOW,
    });
    expect(await auth(api, account.id)).toEqual(account);
  });

  it('is active at once with usable credentials, and answers them', async () => {
    const { api } = await boot({ now: NOW });

    const account = await create(api, { connected_account: oauth({ access_token: 'at-1' }) });

    expect(account).toMatchObject({
      status: 'ACTIVE',
      authorization_details: {
        oauth_token: { access_token: 'at-1', refresh_token: '', scopes: [], domain: '' },
      },
    });
    expect(await auth(api, account.id)).toEqual(account);
  });

  it.each([
    ['no credentials at all', {}, undefined],
    ['empty details', { authorization_details: {} }, {}],
    [
      'a token without an access token',
      oauth({ scopes: ['a'] }),
      { oauth_token: { access_token: '', refresh_token: '', scopes: ['a'], domain: '' } },
    ],
    [
      'static credentials without any',
      { authorization_details: { static_auth: {} } },
      { static_auth: { details: {} } },
    ],
  ])('waits for authorization with %s', async (_, connected_account, authorization_details) => {
    const { api } = await boot();

    const account = await create(api, { connected_account });

    expect(account).toMatchObject({ status: 'PENDING_AUTH' });
    expect(account['authorization_details']).toEqual(authorization_details);
  });

  it.each([
    ['freshdesk', 'BASIC', { domain: 'x', username: 'u', password: 'p' }],
    ['exa', 'API_KEY', { api_key: 'k' }],
    ['apifymcp', 'BEARER_TOKEN', { token: 't' }],
  ])(
    'keeps static credentials of %s, password and all, as %s',
    async (connector, authorization_type, details) => {
      const { api } = await boot();

      const account = await create(api, {
        connector,
        connected_account: { authorization_details: { static_auth: { details } } },
      });

      const authorization_details = { static_auth: { details } };
      expect(account).toMatchObject({ authorization_type, status: 'ACTIVE', authorization_details });
    },
  );

  it('is active at once where the connection wants no credentials', async () => {
    const { api, control } = await boot();
    await connect(control, 'open', { type: 'NO_AUTH' });

    const account = await create(api, {
      connector: 'open',
      connected_account: { authorization_details: { static_auth: {} } },
    });

    expect(account).toMatchObject({ connector: 'open', authorization_type: 'NO_AUTH', status: 'ACTIVE' });
  });

  it('gets an access token for the subject of a domain-wide delegation', async () => {
    const { api, control } = await boot({ now: NOW });
    await connect(control, 'drive', { type: 'GOOGLE_DWD' });

    const account = await create(api, {
      connector: 'drive',
      connected_account: { authorization_details: { google_dwd: { subject: 'ada@acme.example' } } },
    });

    expect(account).toMatchObject({
      authorization_type: 'GOOGLE_DWD',
      status: 'ACTIVE',
      authorization_details: {
        google_dwd: {
          subject: 'ada@acme.example',
          access_token: expect.stringMatching(/^gdwd_\w{32}$/),
          scopes: [],
          token_expires_at: '2030-01-01T01:00:00.000Z',
        },
      },
    });
  });

  it('gets a key for the database user of a trusted identity provider, and never tells its secret', async () => {
    const { api, control } = await boot({ now: NOW });
    await connect(control, 'redshift', { type: 'TRUSTED_IDP' });

    const account = await create(api, {
      connector: 'redshift',
      connected_account: { authorization_details: { trusted_idp: { db_user: 'reader' } } },
    });

    expect(account).toMatchObject({ authorization_type: 'TRUSTED_IDP', status: 'ACTIVE' });
    expect(account['authorization_details']).toEqual({
      trusted_idp: {
        db_user: 'reader',
        access_key_id: expect.stringMatching(/^ASIA[A-Z0-9]{16}$/),
        expiry: '2030-01-01T01:00:00.000Z',
      },
    });
  });

  it('belongs to the organization and the user that are given', async () => {
    const { api, control } = await boot();

    const account = await create(api, { organization_id: ACME, user_id: NINA });

    const row = await control.get(`/state/connected_accounts/${account.id}`).expect(200);
    expect(row.body).toMatchObject({ organization_id: ACME, user_id: NINA });
    expect(account).not.toHaveProperty('organization_id');
  });

  it.each([
    ['no owner', {}],
    ['the same organization', { organization_id: ACME }],
    ['the same user', { user_id: NINA }],
    ['the same organization and user', { organization_id: ACME, user_id: NINA }],
  ])('refuses an identifier that is taken by an account of %s, and keeps nothing', async (_, owner) => {
    const { api } = await boot();
    const wanted = { connector: 'gmail', identifier: 'lea', connected_account: {}, ...owner };
    await api.post(ACCOUNTS).send(wanted).expect(201);

    const refused = await api.post(ACCOUNTS).send(wanted);

    expect(refused).toMatchObject(
      failure(409, 'connected account with identifier lea exists already for gmail', 6, 'ALREADY_EXISTS'),
    );
    const list = await api.get(`${ACCOUNTS}?identifier=lea`).expect(200);
    expect(list.body.total_size).toBe(1);
  });

  it('takes the same identifier for another owner or another connector', async () => {
    const { api } = await boot();
    await create(api, { identifier: 'lea' });

    for (const other of [
      { organization_id: ACME },
      { organization_id: NORDWIND },
      { user_id: NINA },
      { organization_id: ACME, user_id: NINA },
      { connector: 'slack' },
    ])
      await create(api, { identifier: 'lea', ...other });

    const list = await api.get(`${ACCOUNTS}?identifier=lea`).expect(200);
    expect(list.body.total_size).toBe(6);
  });

  it('refuses a connector that is not there', async () => {
    const { api } = await boot();

    const refused = await api
      .post(ACCOUNTS)
      .send({ connector: 'nope', identifier: 'lea', connected_account: {} });

    expect(refused).toMatchObject(missing('connection not found for key: nope'));
  });

  it.each([
    ['connector', { identifier: 'lea' }],
    ['identifier', { connector: 'gmail' }],
  ])('refuses to do without %s', async (name, selection) => {
    const { api } = await boot();

    const refused = await api.post(ACCOUNTS).send({ ...selection, connected_account: {} });

    expect(refused).toMatchObject(invalid(`${name} is required`));
  });

  it.each([
    ['organization_id', 'string.max_len', { organization_id: long(33) }],
    ['user_id', 'string.max_len', { user_id: long(33) }],
    ['connector', 'string.max_len', { connector: long(401) }],
    ['connector', 'string.pattern', { connector: 'gmail/x' }],
    ['identifier', 'string.max_len', { identifier: long(101) }],
    ['connected_account', 'required', { connected_account: undefined }],
  ])('keeps the bounds of %s (%s)', async (field, constraint, wrong) => {
    const { api } = await boot();
    const right = { connector: 'gmail', identifier: 'lea', connected_account: {} };

    const refused = await api.post(ACCOUNTS).send({ ...right, ...wrong });

    expect(refused).toMatchObject(violated(field, constraint));
  });

  it('takes an identifier of 100 characters', async () => {
    const { api } = await boot();

    const account = await create(api, { identifier: long(100) });

    expect(account).toMatchObject({ identifier: long(100) });
  });

  it('refuses credentials of two kinds at once', async () => {
    const { api } = await boot();
    const authorization_details = { oauth_token: TOKEN, static_auth: { details: {} } };

    const refused = await api
      .post(ACCOUNTS)
      .send({ connector: 'gmail', identifier: 'lea', connected_account: { authorization_details } });

    expect(refused).toMatchObject({ status: 400, body: { code: 3 } });
  });
});

describe('ConnectedAccountService_UpdateConnectedAccount', () => {
  const update = (api: Agent, body: object) => api.put(ACCOUNTS).send({ connected_account: {}, ...body });

  it('changes what is given, and merges api_config key by key', async () => {
    const { api, control } = await boot({ now: NOW });
    const config = { base_url: 'https://a.example', retry: { most: 3, wait: 1 }, timeout: '30' };
    const { id } = await create(api, { connector: 'slack', connected_account: { api_config: config } });
    await control.post('/clock/advance').send({ by: '1h' }).expect(200);

    const changed = await update(api, {
      id,
      connected_account: { api_config: { retry: { most: 5 }, rate_limit: 10 } },
    }).expect(200);

    expect(changed.body.connected_account).toMatchObject({
      status: 'PENDING_AUTH',
      updated_at: '2030-01-01T01:00:00.000Z',
    });
    expect(changed.body.connected_account.api_config).toEqual({
      base_url: 'https://a.example',
      retry: { most: 5 },
      timeout: '30',
      rate_limit: 10,
    });
    expect(await auth(api, id)).toEqual(changed.body.connected_account);
  });

  it('merges credentials of one kind', async () => {
    const { api } = await boot();
    const { id } = await create(api, { connected_account: oauth() });

    const changed = await update(api, { id, connected_account: oauth({ access_token: 'at-2' }) }).expect(200);

    expect(changed.body.connected_account.authorization_details).toEqual({
      oauth_token: { ...TOKEN, access_token: 'at-2' },
    });
  });

  it('merges the details of static credentials', async () => {
    const { api } = await boot();
    const stored = { static_auth: { details: { password: 'new' } } };

    const changed = await update(api, {
      id: 'ca_10000000000000308',
      connected_account: { authorization_details: stored },
    }).expect(200);

    expect(changed.body.connected_account.authorization_details).toEqual({
      static_auth: {
        details: { domain: 'nordwind.freshdesk.com', username: 'test_freshdesk_user', password: 'new' },
      },
    });
  });

  it('puts credentials of another kind in the place of the old ones', async () => {
    const { api } = await boot();
    const { id } = await create(api, { connected_account: oauth() });
    const authorization_details = { static_auth: { details: { token: 't' } } };

    const changed = await update(api, { id, connected_account: { authorization_details } }).expect(200);

    expect(changed.body.connected_account.authorization_details).toEqual(authorization_details);
  });

  it.each([
    ['PENDING_AUTH', 'ca_10000000000000305'],
    ['EXPIRED', 'ca_10000000000000304'],
    ['PENDING_VERIFICATION', 'ca_10000000000000306'],
    ['DISCONNECTED', 'ca_10000000000000307'],
  ])('makes an account that was %s active by usable credentials', async (status, id) => {
    const { api } = await boot();
    expect(await auth(api, id)).toMatchObject({ status });

    const changed = await update(api, { id, connected_account: oauth({ access_token: 'at-2' }) }).expect(200);

    expect(changed.body.connected_account).toMatchObject({ status: 'ACTIVE' });
    expect(changed.body.connected_account).not.toHaveProperty('token_expires_at');
  });

  it.each([
    ['nothing', {}],
    ['empty details', { authorization_details: {} }],
    ['a token without an access token', oauth({ access_token: '' })],
    ['settings alone', { api_config: { timeout: 1 } }],
  ])('leaves the status as it is with %s', async (_, connected_account) => {
    const { api } = await boot();
    const id = 'ca_10000000000000305';

    const changed = await update(api, { id, connected_account }).expect(200);

    expect(changed.body.connected_account).toMatchObject({ status: 'PENDING_AUTH' });
  });

  it('changes nothing, not even the time, when nothing is given', async () => {
    const { api } = await boot();
    const before = await auth(api, SLACK_OF_ACME);

    const same = await update(api, { id: SLACK_OF_ACME }).expect(200);

    expect(same.body.connected_account).toEqual(before);
  });

  it('refuses to do without connected_account', async () => {
    const { api } = await boot();

    const refused = await api.put(ACCOUNTS).send({ id: SLACK_OF_ACME });

    expect(refused).toMatchObject(violated('connected_account', 'required'));
  });
});

describe('the settings of a connector with keys of its own', () => {
  const GMAIL_KEYS = {
    version: null,
    domain: null,
    custom_headers: null,
    custom_auth_header: null,
    api_endpoint: null,
  };

  it('have all of the keys once any setting was given, and every other key too', async () => {
    const { api } = await boot();

    const account = await create(api, { connected_account: { api_config: { version: '2', mine: true } } });

    const api_config = { ...GMAIL_KEYS, version: '2', mine: true };
    expect(account['api_config']).toEqual(api_config);
    expect(await auth(api, account.id)).toMatchObject({ api_config });
    const changed = await api
      .put(ACCOUNTS)
      .send({ id: account.id, connected_account: { api_config: { domain: 'd' } } })
      .expect(200);
    expect(changed.body.connected_account.api_config).toEqual({ ...api_config, domain: 'd' });
  });

  it('are absent while none was given', async () => {
    const { api } = await boot();

    const account = await create(api);

    expect(account).not.toHaveProperty('api_config');
  });

  it('are no one else’s', async () => {
    const { api } = await boot();

    const account = await create(api, {
      connector: 'slack',
      connected_account: { api_config: { version: '2' } },
    });

    expect(account['api_config']).toEqual({ version: '2' });
  });
});

type Selection = Record<string, string>;

/** The three calls that name an account in the same way. */
const named: [operation: string, call: (api: Agent, selection: Selection) => ReturnType<Agent['get']>][] = [
  [
    'ConnectedAccountService_GetConnectedAccountAuth',
    (api, by) => api.get(`${ACCOUNTS}/auth?${new URLSearchParams(by)}`),
  ],
  [
    'ConnectedAccountService_UpdateConnectedAccount',
    (api, by) => api.put(ACCOUNTS).send({ ...by, connected_account: { api_config: { found: true } } }),
  ],
  ['ConnectedAccountService_DeleteConnectedAccount', (api, by) => api.post(`${ACCOUNTS}:delete`).send(by)],
];

describe.each(named)('the account that %s means', (operation, call) => {
  const NINA_AT = { connector: 'slack', identifier: 'nina@nordwind.example' };

  /** Which account the call found: the one that it answered, or the one that is gone. */
  async function found(selection: Selection) {
    const { api, control } = await boot();
    const { body } = await call(api, selection).expect(200);
    if (!operation.endsWith('DeleteConnectedAccount')) return body.connected_account.id;
    const deleted = await control.get('/requests?operation=ConnectedAccountService_DeleteConnectedAccount');
    return deleted.body.requests[0].changes.find(
      ({ collection }: { collection: string }) => collection === 'connected_accounts',
    ).id;
  }

  it.each<[string, Selection, string]>([
    ['the id', { id: SLACK_OF_NORDWIND }, SLACK_OF_NORDWIND],
    [
      'the id, whatever else is said',
      {
        id: SLACK_OF_NORDWIND,
        connector: 'gmail',
        identifier: 'nobody',
        organization_id: 'org_1',
        user_id: 'usr_1',
      },
      SLACK_OF_NORDWIND,
    ],
    [
      'connector and identifier',
      { connector: 'freshdesk', identifier: 'support-desk' },
      'ca_10000000000000308',
    ],
    [
      'connector and identifier, narrowed by organization',
      { ...NINA_AT, organization_id: NORDWIND },
      SLACK_OF_NORDWIND,
    ],
    [
      'connector and identifier, narrowed by user',
      { connector: 'notion', identifier: 'ada@acme.example', user_id: 'usr_10000000000000101' },
      'ca_10000000000000305',
    ],
    ['connector and organization', { connector: 'slack', organization_id: NORDWIND }, SLACK_OF_NORDWIND],
    ['connector and user', { connector: 'slack', user_id: NINA }, SLACK_OF_ACME],
    ['the oldest, where several owners have the identifier', NINA_AT, SLACK_OF_ACME],
  ])('is found by %s', async (_, selection, id) => {
    expect(await found(selection)).toBe(id);
  });

  it('is the one without an owner, where others have owners', async () => {
    const { api } = await boot();
    const { id } = await create(api, { ...NINA_AT, connected_account: oauth() });

    await call(api, NINA_AT).expect(200);

    const rest = await api.get(`${ACCOUNTS}?identifier=nina@nordwind.example`).expect(200);
    const ids = rest.body.connected_accounts.map((account: { id: string }) => account.id);
    if (operation.endsWith('DeleteConnectedAccount')) expect(ids).toEqual([SLACK_OF_NORDWIND, SLACK_OF_ACME]);
    else expect((await call(api, NINA_AT)).body.connected_account.id).toBe(id);
  });

  it.each<[string, Selection, object]>([
    ['an unknown id', { id: 'ca_1' }, missing('connected account ca_1 not found')],
    [
      'an unknown identifier',
      { connector: 'slack', identifier: 'nobody' },
      missing('connected account connector slack, identifier nobody not found'),
    ],
    [
      'an owner of no such account',
      { ...NINA_AT, organization_id: 'org_10000000000000003' },
      missing(
        'connected account connector slack, identifier nina@nordwind.example, organization_id org_10000000000000003 not found',
      ),
    ],
    [
      'an unknown connector',
      { connector: 'nope', identifier: 'x' },
      missing('connection not found for key: nope'),
    ],
    ['a connector in another case', { connector: 'SLACK', identifier: 'x' }, { status: 404 }],
  ])('is not found by %s', async (_, selection, answer) => {
    const { api } = await boot();

    const refused = await call(api, selection);

    expect(refused).toMatchObject(answer);
  });

  it.each<[string, Selection, string]>([
    ['nothing', {}, 'connector'],
    ['the identifier alone', { identifier: 'support-desk' }, 'connector'],
    ['an owner alone', { organization_id: ACME, user_id: NINA }, 'connector'],
    ['the connector alone', { connector: 'slack' }, 'identifier'],
  ])('can not be told by %s', async (_, selection, lacking) => {
    const { api } = await boot();

    const refused = await call(api, selection);

    expect(refused).toMatchObject(
      invalid(`give the id of the connected account, or connector and identifier; ${lacking} is missing`),
    );
  });

  it.each<[string, string, Selection]>([
    ['id', 'string.prefix', { id: 'acc_1' }],
    ['id', 'string.prefix', { id: '' }],
    ['id', 'string.max_len', { id: `ca_${long(30)}` }],
    ['organization_id', 'string.max_len', { organization_id: long(33) }],
    ['user_id', 'string.max_len', { user_id: long(33) }],
    ['connector', 'string.max_len', { connector: long(401) }],
    ['connector', 'string.pattern', { connector: 'a/b' }],
    ['identifier', 'string.max_len', { identifier: long(101) }],
  ])('is asked for within the bounds of %s (%s)', async (field, constraint, selection) => {
    const { api } = await boot();

    const refused = await call(api, selection);

    expect(refused).toMatchObject(violated(field, constraint));
  });
});

describe('ConnectedAccountService_GetConnectedAccountAuth', () => {
  it('answers the credentials', async () => {
    const { api } = await boot();

    const account = await auth(api, SLACK_OF_ACME);

    expect(account).toMatchObject({
      identifier: 'nina@nordwind.example',
      authorization_details: {
        oauth_token: {
          access_token: 'test_slack_acme_access_token',
          refresh_token: 'test_slack_acme_refresh_token',
        },
      },
    });
  });

  it('renews an access token that ran out, where there is a refresh token', async () => {
    const { api, control } = await boot({ now: NOW });
    const { id } = await create(api, { connected_account: oauth() });
    await control.patch(`/state/connected_accounts/${id}`).send({ token_expires_at: NOW }).expect(200);
    await control.post('/clock/advance').send({ by: '1h' }).expect(200);

    const account = await auth(api, id);

    expect(account).toMatchObject({
      status: 'ACTIVE',
      token_expires_at: '2030-01-01T02:00:00.000Z',
      updated_at: '2030-01-01T01:00:00.000Z',
    });
    const { access_token, ...rest } = account.authorization_details.oauth_token;
    expect(access_token).toMatch(/^at_\w{32}$/);
    expect(rest).toEqual({ refresh_token: 'rt-1', scopes: ['a'], domain: 'acme' });
    expect(await auth(api, id)).toEqual(account);
  });

  it('leaves an access token alone that is still good', async () => {
    const { api, control } = await boot({ now: NOW });
    const { id } = await create(api, { connected_account: oauth() });
    const token_expires_at = '2030-01-01T01:00:00.000Z';
    await control.patch(`/state/connected_accounts/${id}`).send({ token_expires_at }).expect(200);

    const account = await auth(api, id);

    expect(account).toMatchObject({ token_expires_at, authorization_details: { oauth_token: TOKEN } });
  });

  it('shows an account as expired when its token ran out for good', async () => {
    const { api, control } = await boot({ now: NOW });
    const { id } = await create(api, { connected_account: oauth({ access_token: 'at-1' }) });
    const token_expires_at = '2030-01-01T01:00:00.000Z';
    await control.patch(`/state/connected_accounts/${id}`).send({ token_expires_at }).expect(200);
    await control.post('/clock/advance').send({ by: '3599s' }).expect(200);
    expect(await auth(api, id)).toMatchObject({ status: 'ACTIVE' });

    await control.post('/clock/advance').send({ by: '1s' }).expect(200);

    expect(await auth(api, id)).toMatchObject({
      status: 'EXPIRED',
      token_expires_at,
      updated_at: token_expires_at,
      authorization_details: { oauth_token: { access_token: 'at-1' } },
    });
  });
});

describe('ConnectedAccountService_DeleteConnectedAccount', () => {
  it('takes the account away for good, and answers nothing', async () => {
    const { api } = await boot();

    const deleted = await api.post(`${ACCOUNTS}:delete`).send({ id: SLACK_OF_ACME }).expect(200);

    expect(deleted.body).toEqual({});
    await api.get(`${ACCOUNTS}/auth?id=${SLACK_OF_ACME}`).expect(404);
    await api.post(`${ACCOUNTS}:delete`).send({ id: SLACK_OF_ACME }).expect(404);
    const list = await api.get(`${ACCOUNTS}?page_size=99`).expect(200);
    expect(list.body.total_size).toBe(9);
  });

  it('takes its magic links and its pending verifications with it', async () => {
    const { api, control } = await boot();
    const rows = async (name: string) => (await control.get(`/state/${name}`).expect(200)).body.rows;
    expect([await rows('magic_links'), await rows('auth_requests')]).toMatchObject([
      [{ connected_account_id: 'ca_10000000000000305' }],
      [{ connected_account_id: 'ca_10000000000000306' }, { connected_account_id: SLACK_OF_ACME }],
    ]);

    for (const id of ['ca_10000000000000305', 'ca_10000000000000306'])
      await api.post(`${ACCOUNTS}:delete`).send({ id }).expect(200);

    expect([await rows('magic_links'), await rows('auth_requests')]).toMatchObject([
      [],
      [{ connected_account_id: SLACK_OF_ACME }],
    ]);
    const verify = { auth_request_id: 'YXV0aHJlcV9nb29nbGVjYWxlbmRhcg', identifier: 'ada@acme.example' };
    await api.post(`${ACCOUNTS}/user/verify`).send(verify).expect(404);
  });

  it('leaves the identifier free', async () => {
    const { api } = await boot();
    const { id } = await create(api);
    await api.post(`${ACCOUNTS}:delete`).send({ id }).expect(200);

    const again = await create(api);

    expect(again.id).not.toBe(id);
  });
});

describe('an account of an organization or a user', () => {
  it('goes with the organization', async () => {
    const { api } = await boot();

    await api.delete(`/api/v1/organizations/${ACME}`).expect(200);

    const list = await api.get(`${ACCOUNTS}?organization_id=${ACME}`).expect(200);
    expect(list.body).toMatchObject({ connected_accounts: [], total_size: 0 });
    await api.get(`${ACCOUNTS}/auth?id=${SLACK_OF_ACME}`).expect(404);
    await api.get(`${ACCOUNTS}/auth?id=${SLACK_OF_NORDWIND}`).expect(200);
  });

  it('may name an organization and a user that are not there', async () => {
    const { api } = await boot();

    const account = await create(api, { organization_id: 'org_7', user_id: 'usr_7' });

    const list = await api.get(`${ACCOUNTS}?organization_id=org_7&user_id=usr_7`).expect(200);
    expect(list.body.connected_accounts).toMatchObject([{ id: account.id }]);
  });
});

describe.each([
  ['ConnectedAccountService_ListConnectedAccounts', ACCOUNTS],
  ['ConnectedAccountService_SearchConnectedAccounts', `${ACCOUNTS}:search?query=secretive`],
])('%s', (_, path) => {
  const SECRET = 'planted-secret';

  it('never shows credentials or settings', async () => {
    const { api, control } = await boot({ now: NOW });
    await connect(control, 'secretive-drive', { type: 'GOOGLE_DWD' });
    await connect(control, 'secretive-redshift', { type: 'TRUSTED_IDP' });
    const planted = [
      ['gmail', { oauth_token: { access_token: SECRET, refresh_token: SECRET, domain: SECRET } }],
      ['freshdesk', { static_auth: { details: { password: SECRET, deep: [{ token: SECRET }] } } }],
      ['secretive-drive', { google_dwd: { subject: SECRET } }],
      ['secretive-redshift', { trusted_idp: { db_user: SECRET } }],
    ] as const;
    for (const [connector, authorization_details] of planted) {
      const api_config = { custom_auth_header: SECRET };
      await create(api, {
        connector,
        identifier: `secretive ${connector}`,
        connected_account: { authorization_details, api_config },
      });
    }

    const { body } = await api.get(path).expect(200);

    const { rows } = (await control.get('/state/connected_accounts').expect(200)).body;
    const secrets = new Set(rows.flatMap((row: object) => texts(pick(row))));
    expect(secrets).toContain(SECRET);
    expect(secrets.size).toBeGreaterThan(15);
    expect(texts(body).filter((text) => secrets.has(text))).toEqual([]);
    expect(body.connected_accounts.length).toBeGreaterThanOrEqual(4);
    for (const account of body.connected_accounts) {
      expect(Object.keys(account)).not.toContain('authorization_details');
      expect(Object.keys(account)).not.toContain('api_config');
    }
  });
});

const pick = ({
  authorization_details,
  api_config,
}: {
  authorization_details?: unknown;
  api_config?: unknown;
}) => [authorization_details, api_config];

/** Every text anywhere in a value. */
function texts(at: unknown): string[] {
  if (typeof at === 'string') return at === '' ? [] : [at];
  return typeof at === 'object' && at !== null ? Object.values(at).flatMap(texts) : [];
}

const idsOf = async (api: Agent, path: string) => {
  const { body } = await api.get(path).expect(200);
  return body.connected_accounts.map(({ id }: { id: string }) => Number(id.slice(-3)));
};

describe('ConnectedAccountService_ListConnectedAccounts', () => {
  it('lists accounts as they are, newest first', async () => {
    const { api } = await boot();

    const list = await api.get(ACCOUNTS).expect(200);

    expect(list.body).toMatchObject({ total_size: 10, next_page_token: '', prev_page_token: '' });
    expect(list.body.connected_accounts[9]).toEqual({
      id: 'ca_10000000000000301',
      connection_id: 'conn_10000000000000201',
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
  ])('keeps to the filters %s', async (filter, ids) => {
    const { api } = await boot();

    const list = await api.get(`${ACCOUNTS}?${filter}`).expect(200);

    expect(await idsOf(api, `${ACCOUNTS}?${filter}`)).toEqual(ids);
    expect(list.body.total_size).toBe(ids.length);
  });

  it('refuses connector and connection_names together', async () => {
    const { api } = await boot();

    const refused = await api.get(`${ACCOUNTS}?connector=slack&connection_names=slack`);

    expect(refused).toMatchObject(violated('connector', 'connector_or_connection_names_not_both'));
  });

  it('pages forward and back, also when the page size changes on the way', async () => {
    const { api } = await boot();
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

  it('pages within its filters', async () => {
    const { api } = await boot();
    const filter = `organization_id=${ACME}&page_size=3`;

    const first = await api.get(`${ACCOUNTS}?${filter}`).expect(200);
    const rest = await idsOf(api, `${ACCOUNTS}?${filter}&page_token=${first.body.next_page_token}`);

    expect(first.body).toMatchObject({ total_size: 5, connected_accounts: { length: 3 } });
    expect(rest).toEqual([304, 302]);
  });

  it.each(['', '?page_size=0'])('reads "%s" as the default page size of the environment', async (query) => {
    const { api, control } = await boot();
    await control.patch('/state/settings/settings').send({ default_page_size: 3 }).expect(200);

    const list = await api.get(`${ACCOUNTS}${query}`).expect(200);

    expect(list.body.connected_accounts).toHaveLength(3);
  });

  it('refuses a page token that it never gave', async () => {
    const { api } = await boot();

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
  ])('keeps the bounds of %s: %s', async (field, query, constraint) => {
    const { api } = await boot();

    const refused = await api.get(`${ACCOUNTS}?${query}`);

    expect(refused).toMatchObject(violated(field, constraint));
  });

  it('takes a page size of 99', async () => {
    const { api } = await boot();

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
    ['a part of several', 'a@acme', [306, 305]],
    ['what is nowhere', 'zzz', []],
    ['what stands in credentials alone', 'test_slack', []],
    ['three characters', 'exa', [309, 306, 305, 304, 303, 302]],
  ])('finds %s: %s', async (_, text, ids) => {
    const { api } = await boot();

    const found = await api.get(`${SEARCH}?query=${encodeURIComponent(text)}`).expect(200);

    expect(await idsOf(api, `${SEARCH}?query=${encodeURIComponent(text)}`)).toEqual(ids);
    expect(found.body).toMatchObject({ total_size: ids.length, next_page_token: '', prev_page_token: '' });
  });

  it('finds a connector whose provider has another name', async () => {
    const { api, control } = await boot();
    await connect(control, 'workmail', { provider_key: 'GMAIL' });
    const { id } = await create(api, { connector: 'workmail', identifier: 'lea' });

    const found = await api.get(`${SEARCH}?query=WorkM`).expect(200);

    expect(found.body.connected_accounts).toMatchObject([{ id, connector: 'workmail', provider: 'GMAIL' }]);
  });

  it('keeps to one connection', async () => {
    const { api } = await boot();

    const ids = await idsOf(api, `${SEARCH}?query=ada@acme&connection_id=conn_10000000000000204`);

    expect(ids).toEqual([305]);
  });

  it('pages', async () => {
    const { api } = await boot();

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
  ])('keeps the bounds of %s: %s', async (field, query, constraint) => {
    const { api } = await boot();

    const refused = await api.get(`${SEARCH}?${query}`);

    expect(refused).toMatchObject(violated(field, constraint));
  });

  it('refuses a page token that it never gave', async () => {
    const { api } = await boot();

    const refused = await api.get(`${SEARCH}?query=abc&page_token=garbage`);

    expect(refused).toMatchObject(invalid('invalid page_token'));
  });
});
