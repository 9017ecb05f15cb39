import { describe, expect, it } from 'vitest';
import { boot, type Agent } from '../../../../test/support/boot.ts';
import { notFound, refusal, required, tooLong } from '../../../../test/support/violations.ts';
import { DAILY_BRIEF } from '../../../../test/support/fixture-ids.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const CONFIGS = '/api/v1/mcp/configs';
const ADA = { instance: 'inst_10000000000000402', identifier: 'ada@acme.example' };
const BOT = { instance: 'inst_10000000000000401', identifier: 'research-bot' };

interface State {
  connection_name: string;
  connected_account_id: string;
  connected_account_status: string;
  authentication_link: string;
}

/** Both operations return the same states: for an instance, and for a configuration and a user. */
const OPERATIONS = [
  [
    'McpService_GetMcpInstanceAuthState',
    async (api: Agent, { instance }: typeof ADA, include_auth_links?: boolean): Promise<State[]> => {
      const path = `/api/v1/mcp/instances/${instance}:get_auth_state`;
      return (await api.post(path).send({ include_auth_links }).expect(200)).body.connections;
    },
  ],
  [
    'McpService_ListMcpConnectedAccounts',
    async (
      api: Agent,
      { instance, identifier }: typeof ADA,
      include_auth_link?: boolean,
    ): Promise<State[]> => {
      const { body } = await api.get(`/api/v1/mcp/instances/${instance}`).expect(200);
      const path = `${CONFIGS}/${body.instance.config.id}/connected_accounts`;
      return (await api.post(path).send({ identifier, include_auth_link }).expect(200)).body
        .connected_accounts;
    },
  ],
] as const;

const rows = async (control: Agent, collection: string) =>
  (await control.get(`/state/${collection}`).expect(200)).body.rows;

describe.each(OPERATIONS)('%s', (_, ask) => {
  it('returns the status of each connection without links and creates no accounts', async () => {
    const { api, control } = await boot();
    const before = await rows(control, 'connected_accounts');

    const states = await ask(api, ADA);

    const nothing = { connected_account_id: '', connected_account_status: '', authentication_link: '' };
    expect(states).toEqual([
      {
        connection_id: 'conn_10000000000000204',
        connection_name: 'notion',
        provider: 'NOTION',
        connected_account_id: 'ca_10000000000000305',
        connected_account_status: 'PENDING_AUTH',
        authentication_link: '',
      },
      {
        connection_id: 'conn_10000000000000207',
        connection_name: 'googlecalendar',
        provider: 'GOOGLECALENDAR',
        connected_account_id: 'ca_10000000000000306',
        connected_account_status: 'PENDING_VERIFICATION',
        authentication_link: '',
      },
      { ...nothing, connection_id: 'conn_10000000000000203', connection_name: 'github', provider: 'GITHUB' },
      {
        ...nothing,
        connection_id: 'conn_10000000000000205',
        connection_name: 'hubspot',
        provider: 'HUBSPOT',
      },
    ]);
    expect(await ask(api, ADA, false)).toEqual(states);
    expect(await rows(control, 'connected_accounts')).toEqual(before);
    expect(await rows(control, 'magic_links')).toHaveLength(1);
  });

  it('returns a link for each connection when asked and creates missing accounts', async () => {
    const { api, control } = await boot({ now: NOW, baseUrl: 'https://auth.acme.example' });

    const states = await ask(api, ADA, true);

    expect(states.map((state) => state.connected_account_status)).toEqual([
      'PENDING_AUTH',
      'PENDING_VERIFICATION',
      'PENDING_AUTH',
      'PENDING_AUTH',
    ]);
    const links = (await rows(control, 'magic_links')).slice(1);
    expect(links).toEqual(
      states.map((state) => ({
        id: state.authentication_link.replace('https://auth.acme.example/magicLink/', ''),
        connected_account_id: state.connected_account_id,
        expires_at: '2030-01-01T00:01:00.000Z',
      })),
    );
    expect((await rows(control, 'connected_accounts')).at(-1)).toMatchObject({
      connection_id: 'conn_10000000000000205',
      identifier: ADA.identifier,
    });
  });

  it('creates missing accounts only once', async () => {
    const { api } = await boot();
    const accounts = (states: State[]) => states.map((state) => state.connected_account_id);

    const first = await ask(api, ADA, true);
    const second = await ask(api, ADA, true);

    expect(accounts(second)).toEqual(accounts(first));
    expect(accounts(await ask(api, ADA))).toEqual(accounts(first));
  });

  it('returns links for active accounts and leaves them active', async () => {
    const { api } = await boot();

    const states = await ask(api, BOT, true);

    expect(states).toMatchObject([
      { connected_account_id: 'ca_10000000000000309', connected_account_status: 'ACTIVE' },
      { connected_account_id: 'ca_10000000000000310', connected_account_status: 'ACTIVE' },
    ]);
    expect(states.every((state) => state.authentication_link.includes('/magicLink/'))).toBe(true);
  });

  it('returns no link for a connection without key_id', async () => {
    const { api, control } = await boot();
    const connection = (await rows(control, 'connections')).find(
      ({ key_id }: { key_id?: string }) => key_id === 'notion',
    );
    const { key_id: __, ...nameless } = connection;
    await control.put(`/state/connections/${connection.id}`).send(nameless).expect(200);

    const [notion, calendar] = await ask(api, ADA, true);

    expect(notion).toMatchObject({ connection_name: '', authentication_link: '' });
    expect(calendar!.authentication_link).not.toBe('');
  });
});

describe('McpService_GetMcpInstanceAuthState', () => {
  it('answers 404 for an unknown instance', async () => {
    const { api } = await boot();

    const missing = await api.post('/api/v1/mcp/instances/inst_1:get_auth_state').expect(404);

    expect(missing.body).toEqual(notFound('mcp instance inst_1 not found'));
  });
});

describe('McpService_ListMcpConnectedAccounts', () => {
  it('answers 404 for an unknown configuration', async () => {
    const { api } = await boot();

    const missing = await api
      .post(`${CONFIGS}/cfg_1/connected_accounts`)
      .send({ identifier: 'ada@acme.example' })
      .expect(404);

    expect(missing.body).toEqual(notFound('mcp config cfg_1 not found'));
  });

  it('requires an identifier of 1 to 100 characters', async () => {
    const { api } = await boot();
    const ask = (body: object) => api.post(`${CONFIGS}/${DAILY_BRIEF}/connected_accounts`).send(body);

    expect((await ask({}).expect(400)).body).toEqual(refusal(required('identifier')));
    expect((await ask({ identifier: '' }).expect(400)).body).toEqual(refusal(required('identifier')));
    expect((await ask({ identifier: 'x'.repeat(101) }).expect(400)).body).toEqual(
      refusal(tooLong(100)('identifier')),
    );
    await ask({ identifier: 'x'.repeat(100), include_auth_link: true }).expect(200);
  });
});
