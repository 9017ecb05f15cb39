import { describe, expect, it } from 'vitest';
import { ACCOUNTS, NOW, auth, create, oauth } from '../support/accounts.ts';
import { NOTION, follow, pages } from '../support/account-pages.ts';
import { boot, type Agent } from '../support/boot.ts';
import { doneByRule, toldBy, typesOf } from '../support/events.ts';

const VERIFYING = 'ca_10000000000000306';

/** What the list of events tells of one account, the oldest first. */
async function story(api: Agent, connected_account_id: string) {
  const { body } = await api.post('/api/v1/events/paginated').send({ connected_account_id }).expect(200);
  const events = body.events as { type: string; data: Record<string, unknown> }[];
  return events
    .toReversed()
    .map(({ type, data }) => [type.replace('connected_account.', ''), data['status'], data['old_status']]);
}

describe('what happens to a connected account', () => {
  it('is told from its creation to its end', async () => {
    const { api } = await boot();
    const { id } = await create(api);
    await api.post(`${ACCOUNTS}/magic_link`).send({ id }).expect(200);
    await api.put(ACCOUNTS).send({ id, connected_account: oauth() }).expect(200);
    await api.post(`${ACCOUNTS}/${id}:disconnect`).send({}).expect(200);
    await api.post(`${ACCOUNTS}:delete`).send({ id }).expect(200);

    expect(await story(api, id)).toEqual([
      ['created', 'PENDING_AUTH', undefined],
      ['magic_link_generated', 'PENDING_AUTH', undefined],
      ['updated', 'ACTIVE', undefined],
      ['status_updated', 'ACTIVE', 'PENDING_AUTH'],
      ['status_updated', 'DISCONNECTED', 'ACTIVE'],
      ['deleted', 'DISCONNECTED', undefined],
    ]);
  });

  it('is told with the connection and the provider, and without credentials', async () => {
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

  it('is told when its user is verified', async () => {
    const { api, control } = await boot();
    const { body } = await control.get('/state/auth_requests').expect(200);
    const rows = body.rows as { id: string; identifier: string; connected_account_id: string }[];
    const { id: auth_request_id, identifier } = rows.find((r) => r.connected_account_id === VERIFYING)!;

    await api.post(`${ACCOUNTS}/user/verify`).send({ auth_request_id, identifier }).expect(200);

    expect(await story(api, VERIFYING)).toEqual([['status_updated', 'ACTIVE', 'PENDING_VERIFICATION']]);
  });

  it('is told when its access token is renewed', async () => {
    const { api, control } = await boot();
    const { id } = await create(api, { connected_account: oauth() });
    await control.patch(`/state/connected_accounts/${id}`).send({ token_expires_at: 'now-1m' }).expect(200);

    await api.get(`${ACCOUNTS}/auth?id=${id}`).expect(200);

    expect(await story(api, id)).toEqual([
      ['created', 'ACTIVE', undefined],
      ['token_refresh_succeeded', 'ACTIVE', undefined],
    ]);
  });

  it('is told once: what changes nothing is no event', async () => {
    const { api } = await boot();
    const { id } = await create(api);

    await api.put(ACCOUNTS).send({ id, connected_account: {} }).expect(200);
    await api
      .post(ACCOUNTS)
      .send({ connector: 'gmail', identifier: 'lea@acme.example', connected_account: {} });

    expect(await story(api, id)).toEqual([['created', 'PENDING_AUTH', undefined]]);
  });
});

const GMAIL = 'ca_10000000000000301';
const FRESHDESK = 'ca_10000000000000308';
const rowOf = (id: string) => `/state/connected_accounts/${id}`;

describe('what nobody calls for', () => {
  it('is told of a link to an account that begins with it', async () => {
    const { api } = await boot();
    const wanted = { connector: 'gmail', identifier: 'lea@acme.example' };

    const told = await toldBy(api, () => api.post(`${ACCOUNTS}/magic_link`).send(wanted).expect(200));

    expect(typesOf(told)).toEqual(['connected_account.created', 'connected_account.magic_link_generated']);
  });

  it('is told when time ends a token that nothing can renew', async () => {
    const { api, control } = await boot({ now: NOW });
    const { id } = await create(api, {
      connected_account: oauth({ access_token: 'at-1', refresh_token: '', scopes: [], domain: '' }),
    });
    await control.patch(rowOf(id)).send({ token_expires_at: 'now+5m' }).expect(200);

    const told = await toldBy(api, () => control.post('/clock/advance').send({ by: '6m' }).expect(200));

    const occurred_at = '2030-01-01T00:05:00.000Z';
    expect(told).toMatchObject([
      { type: 'connected_account.token_refresh_failed', occurred_at, data: { id, status: 'ACTIVE' } },
      {
        type: 'connected_account.status_updated',
        occurred_at,
        data: { id, status: 'EXPIRED', old_status: 'ACTIVE' },
      },
    ]);
  });

  it('is told of a rule of a scenario', async () => {
    const booted = await boot();
    const set = { status: 'DISCONNECTED' };

    const told = await toldBy(booted.api, () =>
      doneByRule(booted, {
        connected_accounts: [
          { match: { id: GMAIL }, set },
          { match: { id: GMAIL }, set: { api_config: { timeout: 3 } } },
          { match: { id: FRESHDESK }, set: { status: 'EXPIRED', last_used_at: 'now' } },
          { delete: { match: { id: VERIFYING } } },
        ],
      }),
    );

    expect(told.map(({ type, data }) => [type.replace('connected_account.', ''), data['id']])).toEqual([
      ['updated', GMAIL],
      ['status_updated', GMAIL],
      ['status_updated', FRESHDESK],
      ['deleted', VERIFYING],
    ]);
  });

  it('is told when a connection of the environment goes, which has no event of its own', async () => {
    const booted = await boot({ fixture: 'small' });

    const told = await toldBy(booted.api, () =>
      doneByRule(booted, { connections: [{ delete: { match: { id: 'conn_10000000000000201' } } }] }),
    );

    expect(told).toMatchObject([
      { type: 'connected_account.deleted', data: { id: GMAIL, connection_name: 'gmail', provider: 'GMAIL' } },
    ]);
  });

  it('is not told of what fails', async () => {
    const { api } = await boot();

    const told = await toldBy(api, async () => {
      await api.post(`${ACCOUNTS}/magic_link`).send({ connector: 'gmail' }).expect(400);
      await api.post(`${ACCOUNTS}:delete`).send({ id: 'ca_1' }).expect(404);
    });

    expect(told).toEqual([]);
  });
});

describe('a refresh that the third party refuses', () => {
  const proxied = (api: Agent) =>
    api.get('/proxy/gmail/v1/me').set({ connection_name: 'gmail', identifier: 'default' });

  it.each<[string, (api: Agent) => PromiseLike<unknown>]>([
    ['a look at its credentials', (api) => auth(api, GMAIL)],
    [
      'a tool',
      (api) =>
        api
          .post('/api/v1/execute_tool')
          .send({ tool_name: 'gmail_fetch_mails', connected_account_id: GMAIL, params: {} })
          .expect(400),
    ],
    ['a call to the third party', (api) => proxied(api).expect(400)],
  ])('is told when the account is used for %s, and once', async (_, use) => {
    const { api, control } = await boot();
    await control.patch(rowOf(GMAIL)).send({ refresh_fails: true, token_expires_at: 'now-1m' }).expect(200);

    const told = await toldBy(api, async () => {
      await use(api);
      await use(api);
    });

    expect(told).toMatchObject([
      { type: 'connected_account.token_refresh_failed', data: { id: GMAIL, status: 'ACTIVE' } },
      { type: 'connected_account.status_updated', data: { status: 'EXPIRED', old_status: 'ACTIVE' } },
    ]);
  });

  it('is over with new credentials', async () => {
    const { api, control } = await boot();
    await control.patch(rowOf(GMAIL)).send({ refresh_fails: true }).expect(200);

    await api.put(ACCOUNTS).send({ id: GMAIL, connected_account: oauth() }).expect(200);
    await control.patch(rowOf(GMAIL)).send({ token_expires_at: 'now-1m' }).expect(200);

    expect(await auth(api, GMAIL)).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('what the user of an account does in a browser', () => {
  it('is told as it is done', async () => {
    const booted = await pages({ user_verification: 'off' });

    const told = await toldBy(booted.api, async () => (await follow(booted, NOTION)).submit());

    expect(typesOf(told)).toEqual([
      'connected_account.magic_link_generated',
      'connected_account.oauth_tokens_fetched',
      'connected_account.oauth_succeeded',
      'connected_account.status_updated',
    ]);
    expect(told.at(-1)!.data).toMatchObject({ status: 'ACTIVE', old_status: 'PENDING_AUTH' });
  });
});
