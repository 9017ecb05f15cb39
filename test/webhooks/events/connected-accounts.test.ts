import { describe, expect, it } from 'vitest';
import { ACCOUNTS, NOW, auth, create, oauth } from '../../support/accounts.ts';
import { follow, pages } from '../../support/account-pages.ts';
import { boot, type Agent } from '../../support/boot.ts';
import { doneByRule, toldBy, typesOf } from '../../support/events.ts';
import { FRESHDESK, GMAIL, NOTION } from '../../support/fixture-ids.ts';

const VERIFYING = 'ca_10000000000000306';

/** The events of one connected account, oldest first. */
async function eventsOf(api: Agent, connected_account_id: string) {
  const { body } = await api.post('/api/v1/events/paginated').send({ connected_account_id }).expect(200);
  const events = body.events as { type: string; data: Record<string, unknown> }[];
  return events
    .toReversed()
    .map(({ type, data }) => [type.replace('connected_account.', ''), data['status'], data['old_status']]);
}

describe('the events of a connected account', () => {
  it('cover its life from creation to deletion', async () => {
    const { api } = await boot();
    const { id } = await create(api);
    await api.post(`${ACCOUNTS}/magic_link`).send({ id }).expect(200);
    await api.put(ACCOUNTS).send({ id, connected_account: oauth() }).expect(200);
    await api.post(`${ACCOUNTS}/${id}:disconnect`).send({}).expect(200);
    await api.post(`${ACCOUNTS}:delete`).send({ id }).expect(200);

    expect(await eventsOf(api, id)).toEqual([
      ['created', 'PENDING_AUTH', undefined],
      ['magic_link_generated', 'PENDING_AUTH', undefined],
      ['updated', 'ACTIVE', undefined],
      ['status_updated', 'ACTIVE', 'PENDING_AUTH'],
      ['status_updated', 'DISCONNECTED', 'ACTIVE'],
      ['deleted', 'DISCONNECTED', undefined],
    ]);
  });

  it('contain the connection and the provider, but no credentials', async () => {
    const { api } = await boot({ now: NOW });
    const { id } = await create(api, { connected_account: oauth() });

    const { body } = await api
      .post('/api/v1/events/paginated')
      .send({ connected_account_id: id })
      .expect(200);

    expect(body.events).toEqual([
      {
        spec_version: '1',
        id: expect.stringMatching(/^evt_\d{17,}$/),
        type: 'connected_account.created',
        object: 'ConnectedAccount',
        occurred_at: NOW,
        environment_id: 'env_10000000000000001',
        display_name: '',
        data: {
          id,
          identifier: 'lea@acme.example',
          connection_id: 'conn_10000000000000201',
          connection_name: 'gmail',
          provider: 'GMAIL',
          authorization_type: 'OAUTH',
          status: 'ACTIVE',
        },
      },
    ]);
  });

  it('include status_updated when the user is verified', async () => {
    const { api, control } = await boot();
    const { body } = await control.get('/state/auth_requests').expect(200);
    const rows = body.rows as { id: string; identifier: string; connected_account_id: string }[];
    const { id: auth_request_id, identifier } = rows.find((r) => r.connected_account_id === VERIFYING)!;

    await api.post(`${ACCOUNTS}/user/verify`).send({ auth_request_id, identifier }).expect(200);

    expect(await eventsOf(api, VERIFYING)).toEqual([['status_updated', 'ACTIVE', 'PENDING_VERIFICATION']]);
  });

  it('include token_refresh_succeeded when the access token is refreshed', async () => {
    const { api, control } = await boot();
    const { id } = await create(api, { connected_account: oauth() });
    await control.patch(`/state/connected_accounts/${id}`).send({ token_expires_at: 'now-1m' }).expect(200);

    await api.get(`${ACCOUNTS}/auth?id=${id}`).expect(200);

    expect(await eventsOf(api, id)).toEqual([
      ['created', 'ACTIVE', undefined],
      ['token_refresh_succeeded', 'ACTIVE', undefined],
    ]);
  });

  it('leave out requests that change nothing', async () => {
    const { api } = await boot();
    const { id } = await create(api);

    await api.put(ACCOUNTS).send({ id, connected_account: {} }).expect(200);
    await api
      .post(ACCOUNTS)
      .send({ connector: 'gmail', identifier: 'lea@acme.example', connected_account: {} });

    expect(await eventsOf(api, id)).toEqual([['created', 'PENDING_AUTH', undefined]]);
  });
});

const rowOf = (id: string) => `/state/connected_accounts/${id}`;

describe('connected account events without a direct call', () => {
  it('emits created and magic_link_generated when a magic link creates the account', async () => {
    const { api } = await boot();
    const wanted = { connector: 'gmail', identifier: 'lea@acme.example' };

    const events = await toldBy(api, () => api.post(`${ACCOUNTS}/magic_link`).send(wanted).expect(200));

    expect(typesOf(events)).toEqual(['connected_account.created', 'connected_account.magic_link_generated']);
  });

  it('emits token_refresh_failed and status_updated when the clock passes a token without a refresh token', async () => {
    const { api, control } = await boot({ now: NOW });
    const { id } = await create(api, {
      connected_account: oauth({ access_token: 'at-1', refresh_token: '', scopes: [], domain: '' }),
    });
    await control.patch(rowOf(id)).send({ token_expires_at: 'now+5m' }).expect(200);

    const events = await toldBy(api, () => control.post('/clock/advance').send({ by: '6m' }).expect(200));

    const occurred_at = '2030-01-01T00:05:00.000Z';
    expect(events).toMatchObject([
      { type: 'connected_account.token_refresh_failed', occurred_at, data: { id, status: 'ACTIVE' } },
      {
        type: 'connected_account.status_updated',
        occurred_at,
        data: { id, status: 'EXPIRED', old_status: 'ACTIVE' },
      },
    ]);
  });

  it('emits events for rows that a scenario rule changes or deletes', async () => {
    const booted = await boot();
    const set = { status: 'DISCONNECTED' };

    const events = await toldBy(booted.api, () =>
      doneByRule(booted, {
        connected_accounts: [
          { match: { id: GMAIL }, set },
          { match: { id: GMAIL }, set: { api_config: { timeout: 3 } } },
          { match: { id: FRESHDESK }, set: { status: 'EXPIRED', last_used_at: 'now' } },
          { delete: { match: { id: VERIFYING } } },
        ],
      }),
    );

    expect(events.map(({ type, data }) => [type.replace('connected_account.', ''), data['id']])).toEqual([
      ['updated', GMAIL],
      ['status_updated', GMAIL],
      ['status_updated', FRESHDESK],
      ['deleted', VERIFYING],
    ]);
  });

  it('emits connected_account.deleted when an environment connection is deleted, which has no event itself', async () => {
    const booted = await boot({ fixture: 'small' });

    const events = await toldBy(booted.api, () =>
      doneByRule(booted, { connections: [{ delete: { match: { id: 'conn_10000000000000201' } } }] }),
    );

    expect(events).toMatchObject([
      { type: 'connected_account.deleted', data: { id: GMAIL, connection_name: 'gmail', provider: 'GMAIL' } },
    ]);
  });

  it('emits nothing for failed calls', async () => {
    const { api } = await boot();

    const events = await toldBy(api, async () => {
      await api.post(`${ACCOUNTS}/magic_link`).send({ connector: 'gmail' }).expect(400);
      await api.post(`${ACCOUNTS}:delete`).send({ id: 'ca_1' }).expect(404);
    });

    expect(events).toEqual([]);
  });
});

describe('a token refresh that the third party refuses', () => {
  const proxied = (api: Agent) =>
    api.get('/proxy/gmail/v1/me').set({ connection_name: 'gmail', identifier: 'default' });

  it.each<[string, (api: Agent) => PromiseLike<unknown>]>([
    ['a request for its credentials', (api) => auth(api, GMAIL)],
    [
      'a tool',
      (api) =>
        api
          .post('/api/v1/execute_tool')
          .send({ tool_name: 'gmail_fetch_mails', connected_account_id: GMAIL, params: {} })
          .expect(400),
    ],
    ['a call to the third party', (api) => proxied(api).expect(400)],
  ])('emits events once when the account is used by %s', async (_, use) => {
    const { api, control } = await boot();
    await control.patch(rowOf(GMAIL)).send({ refresh_fails: true, token_expires_at: 'now-1m' }).expect(200);

    const events = await toldBy(api, async () => {
      await use(api);
      await use(api);
    });

    expect(events).toMatchObject([
      { type: 'connected_account.token_refresh_failed', data: { id: GMAIL, status: 'ACTIVE' } },
      { type: 'connected_account.status_updated', data: { status: 'EXPIRED', old_status: 'ACTIVE' } },
    ]);
  });

  it('succeeds again after the credentials are replaced', async () => {
    const { api, control } = await boot();
    await control.patch(rowOf(GMAIL)).send({ refresh_fails: true }).expect(200);

    await api.put(ACCOUNTS).send({ id: GMAIL, connected_account: oauth() }).expect(200);
    await control.patch(rowOf(GMAIL)).send({ token_expires_at: 'now-1m' }).expect(200);

    expect(await auth(api, GMAIL)).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('connected account events of the browser flow', () => {
  it('are emitted for link, token exchange, success and status', async () => {
    const booted = await pages({ user_verification: 'off' });

    const events = await toldBy(booted.api, async () => (await follow(booted, NOTION)).submit());

    expect(typesOf(events)).toEqual([
      'connected_account.magic_link_generated',
      'connected_account.oauth_tokens_fetched',
      'connected_account.oauth_succeeded',
      'connected_account.status_updated',
    ]);
    expect(events.at(-1)!.data).toMatchObject({ status: 'ACTIVE', old_status: 'PENDING_AUTH' });
  });
});
