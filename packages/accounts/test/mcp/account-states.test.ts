import { describe, expect, it } from 'vitest';
import { bootPort, connectAgent, instanceUrl, type McpBooted } from '../../../../test/support/mcp.ts';

const fresh = bootPort();

const OWNER = { connector: 'gmail', identifier: 'default' };

/** How an account is used: each answers whether the provider was reached, and else the message of the failure. */
type Use = (booted: McpBooted) => Promise<string | true>;

const USES: Record<string, Use> = {
  async 'a tool over REST'({ api }) {
    const { status, body } = await api
      .post('/api/v1/execute_tool')
      .send({ tool_name: 'gmail_get_profile', ...OWNER });
    return status === 200 || String(body.message);
  },
  async 'a tool over MCP'({ api, at }) {
    const mapping = [{ connection_name: 'gmail' }];
    await api.post('/api/v1/mcp/configs').send({ name: 'mail', connection_tool_mappings: mapping });
    const url = await instanceUrl(api, { config_name: 'mail', user_identifier: 'default' });
    const { client } = await connectAgent(at(url));
    const { isError, content } = await client.callTool({ name: 'gmail_get_profile', arguments: {} });
    return !isError || (content[0] as { text: string }).text;
  },
  async 'a call through the proxy'({ api }) {
    const { status, body } = await api
      .get('/proxy/gmail/v1/users/me/profile')
      .set({ connection_name: 'gmail', identifier: 'default' });
    return status === 200 || String(body.message);
  },
};

/** The simulator with a frozen clock, and the account that is used. */
async function withAccount() {
  const booted = await fresh();
  const { api, control } = booted;
  const { now } = (await control.put('/clock').send({ mode: 'frozen' }).expect(200)).body;
  const account = async () => {
    const { body } = await api
      .get(`/api/v1/connected_accounts/details?connector=gmail&identifier=default`)
      .expect(200);
    return body.connected_account;
  };
  const { id } = await account();
  const change = (row: object) => control.patch(`/state/connected_accounts/${id}`).send(row).expect(200);
  return { booted, now: String(now), id: String(id), account, change };
}

describe.each(Object.entries(USES))('an account that %s uses', (_, use) => {
  it('is marked as used, and gets a new token when its token has expired', async () => {
    const { booted, now, account, change } = await withAccount();
    await change({ token_expires_at: now });

    expect(await use(booted)).toBe(true);

    const after = new Date(Date.parse(now) + 3_600_000).toISOString();
    expect(await account()).toMatchObject({ status: 'ACTIVE', last_used_at: now, token_expires_at: after });
  });

  it('expires by the clock if its token cannot be refreshed', async () => {
    const { booted, account, change } = await withAccount();
    const { last_used_at } = await account();
    const oauth_token = { access_token: 'at-1', refresh_token: '', scopes: [], domain: '' };
    await change({ authorization_details: { oauth_token } });

    await booted.control.post('/clock/advance').send({ by: '2h' }).expect(200);

    expect(await account()).toMatchObject({ status: 'EXPIRED' });
    expect(await use(booted)).toContain('is EXPIRED, not ACTIVE');
    expect((await account()).last_used_at).toBe(last_used_at);
  });

  it('expires if a scenario lets the refresh fail, and works after a new authorization', async () => {
    const { booted, id, account } = await withAccount();
    const { control } = booted;
    await control.post('/scenarios').send({ name: 'connected-account-refresh-failure' }).expect(201);

    expect(await use(booted)).toContain('is EXPIRED, not ACTIVE');
    expect(await account()).toMatchObject({ status: 'EXPIRED' });
    await control.post(`/connected_accounts/${id}/authorize`).send({}).expect(200);

    expect(await use(booted)).toBe(true);
  });

  it('is refused when it is disconnected', async () => {
    const { booted, id, account } = await withAccount();
    const { last_used_at } = await account();
    await booted.api.post(`/api/v1/connected_accounts/-:disconnect`).send({ id }).expect(200);

    expect(await use(booted)).toContain('is DISCONNECTED, not ACTIVE');
    expect(await account()).toMatchObject({ status: 'DISCONNECTED' });
    expect((await account()).last_used_at).toBe(last_used_at);
  });
});
