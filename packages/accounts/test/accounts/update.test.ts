import { describe, expect, it } from 'vitest';
import { ACCOUNTS, auth, create, NOW, oauth, TOKEN, violated } from '../../../../test/support/accounts.ts';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import { SLACK_OF_ACME } from '../../../../test/support/fixture-ids.ts';

describe('ConnectedAccountService_UpdateConnectedAccount', () => {
  const update = (api: Agent, body: object) => api.put(ACCOUNTS).send({ connected_account: {}, ...body });

  it('changes the given fields and merges api_config key by key', async () => {
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

  it('merges credentials of the same kind', async () => {
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

  it('replaces credentials of another kind', async () => {
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
  ])('activates an account with status %s when usable credentials are given', async (status, id) => {
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
    ['only api_config', { api_config: { timeout: 1 } }],
  ])('keeps the status with %s', async (_, connected_account) => {
    const { api } = await boot();
    const id = 'ca_10000000000000305';

    const changed = await update(api, { id, connected_account }).expect(200);

    expect(changed.body.connected_account).toMatchObject({ status: 'PENDING_AUTH' });
  });

  it('activates an expired account when a token without expiry replaces the old token', async () => {
    const { api, control } = await boot({ now: NOW });
    const { id } = await create(api, { connected_account: oauth({ access_token: 'at-1' }) });
    await control.patch(`/state/connected_accounts/${id}`).send({ token_expires_at: NOW }).expect(200);
    await control.post('/clock/advance').send({ by: '1s' }).expect(200);
    expect(await auth(api, id)).toMatchObject({ status: 'EXPIRED' });

    await update(api, { id, connected_account: oauth({ access_token: 'at-2' }) }).expect(200);
    await control.post('/clock/advance').send({ by: '23h' }).expect(200);

    expect(await auth(api, id)).toMatchObject({ status: 'ACTIVE', updated_at: '2030-01-01T00:00:01.000Z' });
  });

  it('changes nothing, not even updated_at, when connected_account is empty', async () => {
    const { api } = await boot();
    const before = await auth(api, SLACK_OF_ACME);

    const same = await update(api, { id: SLACK_OF_ACME }).expect(200);

    expect(same.body.connected_account).toEqual(before);
  });

  it('requires connected_account', async () => {
    const { api } = await boot();

    const refused = await api.put(ACCOUNTS).send({ id: SLACK_OF_ACME });

    expect(refused).toMatchObject(violated('connected_account', 'required'));
  });
});

describe('the api_config of a connector with predefined keys', () => {
  const GMAIL_KEYS = {
    version: null,
    domain: null,
    custom_headers: null,
    custom_auth_header: null,
    api_endpoint: null,
  };

  it('contains all predefined keys and the given keys once any key is set', async () => {
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

  it('is absent while no key is set', async () => {
    const { api } = await boot();

    const account = await create(api);

    expect(account).not.toHaveProperty('api_config');
  });

  it('contains only the given keys for other connectors', async () => {
    const { api } = await boot();

    const account = await create(api, {
      connector: 'slack',
      connected_account: { api_config: { version: '2' } },
    });

    expect(account['api_config']).toEqual({ version: '2' });
  });
});
