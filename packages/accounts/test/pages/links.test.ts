import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import { GMAIL } from '../../../../test/support/fixture-ids.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const ACCOUNTS = '/api/v1/connected_accounts';
const NEW = { connector: 'gmail', identifier: 'lea@acme.example' };

const ask = (api: Agent, body: object) => api.post(`${ACCOUNTS}/magic_link`).send(body);

const rows = async (control: Agent, collection: string) =>
  (await control.get(`/state/${collection}`).expect(200)).body.rows;

const newestLink = async (control: Agent) => (await rows(control, 'magic_links')).at(-1);

describe('ConnectedAccountService_GetMagicLinkForConnectedAccount', () => {
  it('returns a link that expires after one minute by the clock', async () => {
    const { api, control } = await boot({ now: NOW, baseUrl: 'https://auth.acme.example' });

    const first = await ask(api, { id: GMAIL }).expect(200);

    expect(first.body).toEqual({
      link: expect.stringMatching(/^https:\/\/auth\.acme\.example\/magicLink\/[\da-f-]{36}_o$/),
      expiry: '2030-01-01T00:01:00.000Z',
    });
    await control.post('/clock/advance').send({ by: '10m' }).expect(200);
    const later = await ask(api, { id: GMAIL }).expect(200);
    expect(later.body.expiry).toBe('2030-01-01T00:11:00.000Z');
  });

  it('returns a different link each time', async () => {
    const { api } = await boot({ now: NOW });

    const first = await ask(api, { id: GMAIL }).expect(200);
    const second = await ask(api, { id: GMAIL }).expect(200);

    expect(second.body.link).not.toBe(first.body.link);
  });

  it('puts the name of a non-default environment into the link', async () => {
    const { environment } = await boot();
    const { api } = await environment('worker-1');

    const first = await ask(api, { id: GMAIL }).expect(200);

    expect(first.body.link).toMatch(/\/magicLink\/worker-1\.[\da-f-]{36}_o$/);
  });

  it('creates a missing account with status PENDING_AUTH', async () => {
    const { api, control } = await boot({ now: NOW });
    const owner = { organization_id: 'org_10000000000000001', user_id: 'usr_10000000000000101' };

    await ask(api, { ...NEW, ...owner }).expect(200);

    const list = await api.get(`${ACCOUNTS}?identifier=${NEW.identifier}`).expect(200);
    expect(list.body.connected_accounts).toEqual([
      {
        id: expect.stringMatching(/^ca_\d{17,}$/),
        connection_id: 'conn_10000000000000201',
        ...NEW,
        provider: 'GMAIL',
        authorization_type: 'OAUTH',
        status: 'PENDING_AUTH',
        is_org_wide_credential: false,
        updated_at: NOW,
      },
    ]);
    const [{ id }] = list.body.connected_accounts;
    expect(await newestLink(control)).toMatchObject({ connected_account_id: id });
    expect((await rows(control, 'connected_accounts')).at(-1)).toMatchObject({ id, ...owner });
  });

  it('creates a missing account only once', async () => {
    const { api } = await boot();
    await ask(api, NEW).expect(200);

    await ask(api, NEW).expect(200);

    const list = await api.get(`${ACCOUNTS}?identifier=${NEW.identifier}`).expect(200);
    expect(list.body.total_size).toBe(1);
  });

  it.each([
    ['ACTIVE', GMAIL],
    ['EXPIRED', 'ca_10000000000000304'],
    ['PENDING_AUTH', 'ca_10000000000000305'],
    ['PENDING_VERIFICATION', 'ca_10000000000000306'],
    ['DISCONNECTED', 'ca_10000000000000307'],
  ])('leaves an account with status %s unchanged', async (status, id) => {
    const { api } = await boot();
    const before = await api.get(`${ACCOUNTS}/auth?id=${id}`).expect(200);

    await ask(api, { id }).expect(200);

    const after = await api.get(`${ACCOUNTS}/auth?id=${id}`).expect(200);
    expect(before.body.connected_account.status).toBe(status);
    expect(after.body).toEqual(before.body);
  });

  it.each([
    ['its id, with other fields ignored', { id: GMAIL, connector: 'slack', identifier: 'nobody' }, GMAIL],
    ['its id and a connector without identifier', { id: GMAIL, connector: 'gmail' }, GMAIL],
    ['connector and identifier', { connector: 'gmail', identifier: 'default' }, GMAIL],
    [
      'connector, identifier and organization',
      {
        connector: 'slack',
        identifier: 'nina@nordwind.example',
        organization_id: 'org_10000000000000002',
      },
      'ca_10000000000000303',
    ],
  ])('finds the account by %s', async (_, selection, connected_account_id) => {
    const { api, control } = await boot({ fixture: 'small' });

    await ask(api, selection).expect(200);

    expect(await newestLink(control)).toMatchObject({ connected_account_id });
    expect(await rows(control, 'connected_accounts')).toHaveLength(10);
  });

  it('stores the given state and user_verify_url with the link', async () => {
    const { api, control } = await boot();
    const options = { state: 'step-2 & more', user_verify_url: 'http://localhost:3000/verify?a=b' };

    await ask(api, { id: GMAIL, ...options }).expect(200);
    expect(await newestLink(control)).toMatchObject(options);

    await ask(api, { id: GMAIL, state: '', user_verify_url: '' }).expect(200);
    expect(Object.keys(await newestLink(control))).toEqual(['id', 'connected_account_id', 'expires_at']);
  });

  it.each([
    ['an unknown id', { id: 'ca_1' }, 404, 'connected account ca_1 not found'],
    ['an unknown connector', { ...NEW, connector: 'nope' }, 404, 'connection not found for key: nope'],
    [
      'nothing',
      {},
      400,
      'give the id of the connected account, or connector and identifier; connector is missing',
    ],
    [
      'only the connector',
      { connector: 'gmail' },
      400,
      'give the id of the connected account, or connector and identifier; identifier is missing',
    ],
    [
      'an owner without such an account',
      { connector: 'gmail', user_id: 'usr_1' },
      400,
      'identifier is required',
    ],
  ])('refuses %s and creates nothing', async (_, selection, status, message) => {
    const { api, control } = await boot();
    const before = (await control.get('/state').expect(200)).body;

    const refused = await ask(api, selection);

    expect(refused).toMatchObject({ status, body: { message } });
    expect((await control.get('/state').expect(200)).body).toEqual(before);
  });

  it.each([
    ['id', 'string.prefix', { id: 'acc_1' }],
    ['id', 'string.prefix', { id: '' }],
    ['id', 'string.max_len', { id: `ca_${'1'.repeat(30)}` }],
    ['connector', 'string.pattern', { connector: 'a/b' }],
    ['connector', 'string.max_len', { connector: 'x'.repeat(401) }],
    ['identifier', 'string.max_len', { identifier: 'x'.repeat(101) }],
    ['organization_id', 'string.max_len', { organization_id: 'x'.repeat(33) }],
    ['user_id', 'string.max_len', { user_id: 'x'.repeat(33) }],
    ['state', 'string.max_len', { state: 'x'.repeat(513) }],
    ['user_verify_url', 'string.max_len', { user_verify_url: `http://${'x'.repeat(2042)}` }],
    ['user_verify_url', 'string.pattern', { user_verify_url: 'ftp://acme.example' }],
    ['user_verify_url', 'string.pattern', { user_verify_url: '/verify' }],
  ])('enforces the limits of %s (%s)', async (field, constraint, wrong) => {
    const { api } = await boot();

    const refused = await ask(api, { ...NEW, ...wrong });

    expect(refused.status).toBe(400);
    expect(refused.body.details[0].validation_error_info.field_violations).toMatchObject([
      { field, constraint },
    ]);
  });

  it('accepts state and user_verify_url of the maximum length', async () => {
    const { api } = await boot();
    const user_verify_url = `https://${'x'.repeat(2040)}`;

    await ask(api, { ...NEW, state: 'x'.repeat(512), user_verify_url }).expect(200);
  });
});
