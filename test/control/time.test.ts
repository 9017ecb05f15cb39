import { describe, expect, it } from 'vitest';
import { readContract } from '../../src/contract/documents.ts';
import { Contract } from '../../src/contract/contract.ts';
import { COLLECTIONS, TABLES } from '../../src/state/schema.ts';
import type { Collection } from '../../src/state/env.ts';
import { agentWith, boot, tokenOf, type Agent } from '../support/boot.ts';
import { ACME } from '../support/fixture-ids.ts';

const NOW = '2030-01-01T00:00:00Z';
const IN_A_DAY = '2030-01-02T00:00:00.000Z';
const IN_TWO_DAYS = '2030-01-03T00:00:00.000Z';
const LINK = '6f1d2c3b-8a47-4e5f-9b60-2d3c4e5f6a7b_o';
const ACCOUNTS = '/api/v1/connected_accounts';

const advance = (control: Agent, by: string) => control.post('/clock/advance').send({ by }).expect(200);
const patch = (control: Agent, row: string, members: object) =>
  control.patch(`/state/${row}`).send(members).expect(200);
/** Like `patch`, but inserts the row when the environment does not have it. */
const place = async (control: Agent, row: string, members: object) => {
  const { status } = await control.get(`/state/${row}`);
  const write = control[status === 404 ? 'put' : 'patch'](`/state/${row}`);
  return write.send(members).expect(200);
};
const rowOf = async (control: Agent, row: string) => (await control.get(`/state/${row}`).expect(200)).body;

/**
 * Rows that change at a deadline: the row, the members that set the deadline to the next day, and the
 * change.
 */
const BY_ITSELF: [collection: Collection, id: string, waits: object, then: object][] = [
  [
    'memberships',
    'mem_10000000000000001',
    { membership_status: 'PENDING_INVITE', expires_at: IN_A_DAY },
    { membership_status: 'INVITE_EXPIRED' },
  ],
  ['api_tokens', 'apit_10000000000000001', { expiry: IN_A_DAY }, { status: 'EXPIRED' }],
  [
    'connected_accounts',
    'ca_10000000000000301',
    { token_expires_at: IN_A_DAY, authorization_details: { oauth_token: { refresh_token: '' } } },
    { status: 'EXPIRED', updated_at: IN_A_DAY },
  ],
  [
    'directories',
    'dir_10000000000000601',
    {
      secrets: [
        { id: 'sec_1', secret_suffix: 'abcd', status: 'ACTIVE', create_time: NOW, expire_time: IN_A_DAY },
        { id: 'sec_2', secret_suffix: 'efgh', status: 'ACTIVE', create_time: NOW, expire_time: IN_TWO_DAYS },
      ],
    },
    {
      secrets: [
        expect.objectContaining({ status: 'INACTIVE' }),
        expect.objectContaining({ status: 'ACTIVE' }),
      ],
    },
  ],
  [
    'domains',
    'dom_10000000000000271',
    { verification_status: 'PENDING', verify_before: IN_A_DAY },
    { verification_status: 'FAILED', update_time: IN_A_DAY },
  ],
  [
    'sessions',
    'ses_10000000000000401',
    { status: 'active', expired_at: null, idle_expires_at: IN_A_DAY, absolute_expires_at: IN_TWO_DAYS },
    { status: 'expired', expired_at: IN_A_DAY },
  ],
  [
    'sessions',
    'ses_10000000000000401',
    { status: 'active', expired_at: null, idle_expires_at: IN_TWO_DAYS, absolute_expires_at: IN_A_DAY },
    { status: 'expired', expired_at: IN_A_DAY },
  ],
  [
    'passwordless_requests',
    'cGFzc3dvcmRsZXNzLWFkYS1wZW5kaW5nLWNvZGUtYW5kLWxpbms',
    { expires_at: IN_A_DAY },
    { status: 'EXPIRED' },
  ],
  [
    'account_authorizations',
    'cauth_10000000000000001',
    {
      connected_account_id: 'ca_10000000000000305',
      status: 'PENDING',
      browser_secret: 'secret-of-a-browser',
      csrf_token: 'token-of-a-form',
      created_at: NOW,
      expires_at: IN_A_DAY,
    },
    { status: 'EXPIRED' },
  ],
  ['login_requests', 'lri_10000000000000601', { expires_at: IN_A_DAY }, { status: 'EXPIRED' }],
  [
    'login_transactions',
    'req_10000000000000901',
    {
      client_id: 'skc_10000000000000002',
      redirect_uri: 'https://app.example.com/callback',
      scopes: ['openid'],
      prompt: [],
      intent: 'sign_in',
      status: 'PENDING',
      browser_secret: 'secret-of-a-browser',
      csrf_token: 'token-of-a-form',
      created_at: NOW,
      expires_at: IN_A_DAY,
    },
    { status: 'EXPIRED' },
  ],
  [
    'passkey_ceremonies',
    'sess_10000000000000001',
    {
      kind: 'sign_in',
      challenge: 'bm90LWEtcmVhbC1jaGFsbGVuZ2UtYnV0LWxvbmctZW4',
      rp_id: 'localhost',
      origins: ['http://localhost'],
      user_verification: 'preferred',
      status: 'PENDING',
      created_at: NOW,
      expires_at: IN_A_DAY,
    },
    { status: 'EXPIRED' },
  ],
];

/**
 * Rows that are checked when they are used: the row, how it is used, and the results before and after the
 * deadline.
 */
const AT_USE: [
  what: string,
  collection: Collection,
  row: string,
  members: object,
  use: Use,
  seen: unknown[],
][] = [
  [
    'the secret of a client',
    'clients',
    'm2morg_10000000000000001',
    {
      secrets: [{ id: 'sec_1', secret: 'test_short', create_time: NOW, expire_time: IN_A_DAY }],
    },
    async ({ anonymous }) => {
      const credentials = { client_id: 'm2morg_10000000000000001', client_secret: 'test_short' };
      const form = { grant_type: 'client_credentials', ...credentials };
      return (await anonymous.post('/oauth/token').type('form').send(form)).status;
    },
    [200, 401],
  ],
  [
    'an authorization code',
    'authorization_codes',
    'authc_10000000000000001',
    {
      code: 'UnderstudyCodeOfOneDay0001',
      client_id: 'skc_10000000000000002',
      redirect_uri: 'https://app.example.com/callback',
      scopes: ['openid'],
      subject: 'usr_10000000000000101',
      user_id: 'usr_10000000000000101',
      connection_ids: [],
      created_at: NOW,
      expires_at: IN_A_DAY,
    },
    async ({ anonymous, control }) => {
      const form = {
        grant_type: 'authorization_code',
        code: 'UnderstudyCodeOfOneDay0001',
        redirect_uri: 'https://app.example.com/callback',
        client_id: 'skc_10000000000000002',
        client_secret: 'test_portal_secret',
      };
      const { status } = await anonymous.post('/oauth/token').type('form').send(form);
      await patch(control, 'authorization_codes/authc_10000000000000001', { used_at: null });
      return status;
    },
    [200, 400],
  ],
  [
    'an admin portal session',
    'portal_sessions',
    'psn_10000000000000001',
    {
      token: 'UnderstudyPortalOfOneDay01',
      csrf_token: 'token-of-a-form',
      organization_id: ACME,
      features: ['sso'],
      created_at: NOW,
      expires_at: IN_A_DAY,
    },
    async ({ anonymous }) => {
      const cookie = 'understudy_portal=UnderstudyPortalOfOneDay01';
      return (await anonymous.get('/portal').set('cookie', cookie)).status;
    },
    [200, 401],
  ],
  [
    'a portal link',
    'portal_links',
    'lnk_10000000000000001',
    { expire_time: IN_A_DAY },
    async ({ login }) => {
      const { body } = await (await login()).get(`/api/v1/organizations/${ACME}/portal_links`).expect(200);
      return body.links.some(({ id }: { id: string }) => id === 'lnk_10000000000000001');
    },
    [true, false],
  ],
  [
    'a link to the webhook portal',
    'webhook_portal_links',
    'whl_10000000000000001',
    { token: 'UnderstudyWebhooksOfOneDay01', created_at: NOW, expires_at: IN_A_DAY },
    async ({ anonymous }) => (await anonymous.get('/webhooks/portal/UnderstudyWebhooksOfOneDay01')).status,
    [302, 410],
  ],
  [
    'a webhook portal session',
    'webhook_portal_sessions',
    'whs_10000000000000001',
    {
      token: 'UnderstudyWebhooksOfOneDay01',
      csrf_token: 'token-of-a-form',
      created_at: NOW,
      expires_at: IN_A_DAY,
    },
    async ({ anonymous }) => {
      const cookie = 'understudy_webhooks=UnderstudyWebhooksOfOneDay01';
      return (await anonymous.get('/ui/webhooks').set('cookie', cookie)).status;
    },
    [200, 401],
  ],
  [
    'a link that authorizes an account',
    'magic_links',
    LINK,
    { expires_at: IN_A_DAY },
    async ({ anonymous, control }) => {
      const { status } = await anonymous.get(`/magicLink/${LINK}`);
      await control.patch(`/state/magic_links/${LINK}`).send({ used_at: null }).expect(200);
      return status;
    },
    [302, 410],
  ],
  [
    'the consent of an end user',
    'auth_requests',
    'YXV0aHJlcV9nb29nbGVjYWxlbmRhcg',
    { expires_at: IN_A_DAY, identifier: 'somebody@acme.example' },
    async ({ login }) => {
      const wrong = { auth_request_id: 'YXV0aHJlcV9nb29nbGVjYWxlbmRhcg', identifier: 'ada' };
      return (await (await login()).post(`${ACCOUNTS}/user/verify`).send(wrong)).status;
    },
    [403, 404],
  ],
  [
    'the id of a revoked token',
    'revoked_tokens',
    'tkn_10000000000000001',
    { client_id: 'skc_1000000000000000001', expires_at: IN_A_DAY },
    async ({ anonymous, control }) => {
      const client = { client_id: 'm2morg_10000000000000001', client_secret: 'test_short' };
      const secrets = [{ id: 'sec_1', secret: 'test_short', create_time: NOW }];
      await patch(control, 'clients/m2morg_10000000000000001', { secrets });
      const form = { grant_type: 'client_credentials', ...client };
      const { body } = await anonymous.post('/oauth/token').type('form').send(form).expect(200);
      // Revoking a token removes the expired rows of revoked tokens.
      await anonymous
        .post('/revoke')
        .type('form')
        .send({ ...client, token: body.access_token })
        .expect(200);
      return (await control.get('/state/revoked_tokens/tkn_10000000000000001')).status;
    },
    [200, 404],
  ],
  [
    'a refresh token',
    'refresh_tokens',
    'rtok_10000000000000001',
    {
      token: 'rt_that_ends_in_a_day',
      family_id: 'rtok_10000000000000001',
      client_id: 'skc_1000000000000000001',
      scopes: ['openid'],
      subject: 'usr_10000000000000101',
      connection_ids: [],
      created_at: NOW,
      expires_at: IN_A_DAY,
    },
    async ({ anonymous }) => {
      const client = {
        client_id: 'skc_1000000000000000001',
        client_secret: 'test_understudy_default_secret',
      };
      const introspect = anonymous.post('/oauth/introspect').type('form');
      return (await introspect.send({ ...client, token: 'rt_that_ends_in_a_day' }).expect(200)).body.active;
    },
    [true, false],
  ],
  [
    'a session at an MCP server',
    'mcp_sessions',
    'a2f1c0de-1111-4222-8333-444455556666',
    {
      server: 'inst_10000000000000401',
      identifier: 'research-bot',
      protocol_version: '2025-11-25',
      create_time: NOW,
      expires_at: IN_A_DAY,
    },
    async ({ anonymous, control }) => {
      const { link_token } = await rowOf(control, 'mcp_instances/inst_10000000000000401');
      const call = anonymous.post(`/mcp/v1/${String(link_token)}`).set({
        accept: 'application/json, text/event-stream',
        'mcp-session-id': 'a2f1c0de-1111-4222-8333-444455556666',
      });
      return (await call.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).status;
    },
    [200, 404],
  ],
  [
    'a token that can be renewed',
    'connected_accounts',
    'ca_10000000000000301',
    { token_expires_at: IN_A_DAY },
    async ({ login, control }) => {
      await (await login()).get(`${ACCOUNTS}/auth?id=ca_10000000000000301`).expect(200);
      return (await rowOf(control, 'connected_accounts/ca_10000000000000301')).token_expires_at;
    },
    [IN_A_DAY, '2030-01-02T01:00:00.000Z'],
  ],
];
type Use = (booted: { anonymous: Agent; control: Agent; login: () => Promise<Agent> }) => Promise<unknown>;

describe('deadlines of rows', () => {
  it.each(BY_ITSELF)('%s %s: changes exactly at its deadline, without a call', async (...row) => {
    const [collection, id, waits, then] = row;
    const { control } = await boot({ now: NOW });
    const waiting = await place(control, `${collection}/${id}`, waits);

    await advance(control, '86399999ms');
    const before = await rowOf(control, `${collection}/${id}`);
    await advance(control, '1ms');

    expect(before).toEqual(waiting.body);
    expect(await rowOf(control, `${collection}/${id}`)).toMatchObject(then);
  });

  it.each(AT_USE)('%s: is valid until its deadline', async (...row) => {
    const [, collection, id, members, use, seen] = row;
    const { understudy, anonymous, control } = await boot({ now: NOW });
    await place(control, `${collection}/${id}`, members);
    const login = async () => {
      const { credentials } = understudy.controls.simulator.environments.get('default');
      const token = await tokenOf(understudy.app, credentials);
      return agentWith(anonymous, token);
    };

    await advance(control, '86399999ms');
    const before = await use({ anonymous, control, login });
    await advance(control, '1ms');

    expect([before, await use({ anonymous, control, login })]).toEqual(seen);
  });

  it('are tested for every collection whose rows have one', () => {
    const rows = new Contract(readContract('control'));
    const ends = /expir|_before$|valid_until/;
    const mortal = COLLECTIONS.filter((collection) => {
      const members = rows.schemaNamed(TABLES[collection].schema)?.properties ?? {};
      return ends.test(Object.keys(members).filter(isTime(members)).join(' '));
    });

    const known = [...BY_ITSELF.map(([c]) => c), ...AT_USE.map(([, c]) => c)];

    expect(mortal.filter((collection) => !known.includes(collection))).toEqual([]);
    // What is due is sent at once; test/webhooks and packages/provisioning/test/idp.test.ts cover it.
    const sent = ['webhook_deliveries', 'idp_pushes'];
    const seen = COLLECTIONS.filter((collection) => !sent.includes(collection));
    const deadlines = seen.filter((collection) => TABLES[collection].deadline);
    expect(deadlines.filter((collection) => !BY_ITSELF.some(([c]) => c === collection))).toEqual([]);
  });

  it('are processed in order, each at its own time', async () => {
    const { control } = await boot({ now: NOW });
    const late = { status: 'active', idle_expires_at: IN_TWO_DAYS, absolute_expires_at: IN_TWO_DAYS };
    await patch(control, 'sessions/ses_10000000000000401', late);
    await patch(control, 'domains/dom_10000000000000271', {
      verification_status: 'PENDING',
      verify_before: IN_A_DAY,
    });

    await advance(control, '30d');

    expect(await rowOf(control, 'sessions/ses_10000000000000401')).toMatchObject({ updated_at: IN_TWO_DAYS });
    expect(await rowOf(control, 'domains/dom_10000000000000271')).toMatchObject({ update_time: IN_A_DAY });
  });
});

const isTime = (members: Record<string, object>) => (name: string) =>
  (members[name] as { format?: string }).format === 'date-time';

describe('the clock of the environment', () => {
  const LIST = '/api/v1/organizations';
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, number>;

  it('sets iat, nbf and exp of tokens, and decides when they expire', async () => {
    const { api, control, token } = await boot({ now: NOW });
    const { iat, nbf, exp } = claimsOf(token);

    await advance(control, '86399s');
    const last = await api.get(LIST);
    await advance(control, '1s');
    const over = await api.get(LIST);

    const now = Date.parse(NOW) / 1000;
    expect([iat, nbf, exp]).toEqual([now, now, now + 86_400]);
    expect([last.status, over.status, over.body.message]).toEqual([200, 401, 'token is expired']);
  });

  it('keeps tokens valid when it is set back, so that a restore requires no new login', async () => {
    const { api, control } = await boot({ now: NOW });

    await control.put('/clock').send({ mode: 'frozen', at: '2029-06-01T00:00:00Z' }).expect(200);

    await api.get(LIST).expect(200);
  });

  it('sets ids and the times of rows and journal entries', async () => {
    const { api, control } = await boot({ now: NOW });
    const ask = async () =>
      (await api.post(LIST).send({ display_name: 'Acme' }).expect(201)).body.organization;
    const first = await ask();
    await advance(control, '1h');

    const second = await ask();

    expect([first.create_time, second.create_time]).toEqual([
      '2030-01-01T00:00:00.000Z',
      '2030-01-01T01:00:00.000Z',
    ]);
    const ticks = (id: string) => Number(BigInt(id.slice(4)) >> 24n);
    expect(ticks(second.id) - ticks(first.id)).toBe(360_000);
    const { body } = await control.get('/requests').expect(200);
    expect(body.requests.at(-1).time).toBe('2030-01-01T01:00:00.000Z');
  });

  it('sets the Date header, unless it is real', async () => {
    const { api, anonymous, control } = await boot({ now: NOW });
    await advance(control, '1h');
    const frozen = [await api.get(LIST), await anonymous.get(LIST), await anonymous.get('/nowhere')];
    await control.put('/clock').send({ mode: 'real' }).expect(200);

    const real = await anonymous.get('/keys').expect(200);

    expect(frozen.map(({ status, headers }) => [status, headers['date']])).toEqual(
      [200, 401, 404].map((status) => [status, 'Tue, 01 Jan 2030 01:00:00 GMT']),
    );
    expect(Math.abs(Date.parse(real.headers['date']!) - Date.now())).toBeLessThan(60_000);
  });
});

describe('moving the clock', () => {
  const at = async (control: Agent) => (await control.get('/clock').expect(200)).body;

  it('back reverts nothing', async () => {
    const { control } = await boot({ now: NOW });
    await patch(control, 'login_requests/lri_10000000000000601', { expires_at: IN_A_DAY });
    await advance(control, '2d');

    await control.put('/clock').send({ mode: 'frozen', at: NOW }).expect(200);

    expect((await at(control)).now).toBe('2030-01-01T00:00:00.000Z');
    expect(await rowOf(control, 'login_requests/lri_10000000000000601')).toMatchObject({ status: 'EXPIRED' });
  });

  it('forward again after it was set back processes new deadlines', async () => {
    const { control } = await boot({ now: NOW });
    await advance(control, '2d');
    await control.put('/clock').send({ mode: 'frozen', at: NOW }).expect(200);
    await patch(control, 'login_requests/lri_10000000000000601', { status: 'PENDING', expires_at: IN_A_DAY });

    await advance(control, '1d');

    expect(await rowOf(control, 'login_requests/lri_10000000000000601')).toMatchObject({ status: 'EXPIRED' });
  });

  it('by zero changes nothing', async () => {
    const { control } = await boot({ now: NOW });

    await advance(control, '0s');

    expect(await at(control)).toMatchObject({ mode: 'frozen', now: '2030-01-01T00:00:00.000Z' });
  });

  it.each([
    ['is advanced beyond the last year', { by: '99999999d' }],
    ['is advanced by an infinite number', { by: `${'9'.repeat(400)}d` }],
    ['is advanced by a negative duration', { by: '-1h' }],
    ['is advanced by an invalid duration', { by: 'tomorrow' }],
  ])('is refused when it %s, and the clock does not change', async (_, body) => {
    const { control } = await boot({ now: NOW });

    const refused = await control.post('/clock/advance').send(body).expect(400);

    expect(refused.body.details[0].error_code).toBe('INVALID_ARGUMENT');
    expect((await at(control)).now).toBe('2030-01-01T00:00:00.000Z');
  });

  it.each([
    ['before 1970', { mode: 'frozen', at: '1969-12-31T23:59:59Z' }],
    ['beyond the year 8999', { mode: 'offset', at: '9000-01-01T00:00:00Z' }],
    ['to a negative year', { mode: 'offset', offset: '-99999d' }],
    ['to a day that does not exist', { mode: 'frozen', at: '2030-02-30T00:00:00Z' }],
    ['to mode real with a time', { mode: 'real', at: NOW }],
    ['to an offset without a value', { mode: 'offset' }],
    ['to mode frozen with an offset', { mode: 'frozen', offset: '1h' }],
  ])('is refused: %s', async (_, body) => {
    const { control } = await boot({ now: NOW });

    await control.put('/clock').send(body).expect(400);

    expect(await at(control)).toMatchObject({ mode: 'frozen', now: '2030-01-01T00:00:00.000Z' });
  });

  it('back to mode real removes any offset', async () => {
    const { control } = await boot({ now: NOW });
    await advance(control, '400d');

    const { body } = await control.put('/clock').send({ mode: 'real' }).expect(200);

    expect(body).toMatchObject({ mode: 'real', offset_ms: 0 });
    expect(Math.abs(Date.parse(body.now) - Date.now())).toBeLessThan(60_000);
  });

  it('forward from mode real makes it an offset clock', async () => {
    const { control } = await boot();

    const { body } = await advance(control, '1000d');

    expect(body).toMatchObject({ mode: 'offset', offset_ms: 86_400_000_000 });
  });
});
