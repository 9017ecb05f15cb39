import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../../test/support/boot.ts';
import { bootPort, configServer, connectAgent, instanceUrl, RESEARCH } from '../../../../test/support/mcp.ts';

const fresh = bootPort();

const SEARCH = { name: 'exa_search', arguments: { query: 'bees' } };

/** Gives the connection of the tools a name that the contract does not allow as `connector`. */
async function renameConnection(control: Agent) {
  const { body } = await control.get('/state/connections').expect(200);
  const { id } = body.rows.find(({ key_id }: { key_id?: string }) => key_id === 'exa');
  await control.patch(`/state/connections/${id}`).send({ key_id: 'exa.eu/1' }).expect(200);
}

describe('A call of a tool', () => {
  it('is linked with the message that made it', async () => {
    const { api, at, control } = await fresh();
    const { client } = await connectAgent(at(await instanceUrl(api)));

    await client.callTool(SEARCH);

    const { requests } = (await control.get('/requests').expect(200)).body;
    const [message] = requests.filter(({ calls }: { calls?: string[] }) => calls);
    const [call] = requests.filter(({ made_by }: { made_by?: string }) => made_by);
    expect(call).toMatchObject({
      made_by: message.id,
      operation: 'ToolService_ExecuteTool',
      protocol: 'mcp',
    });
    expect(message).toMatchObject({ calls: [call.id], operation: 'McpServer_SendMessage' });
  });

  it('names the rules of the contract that it breaks', async () => {
    const { api, at } = await fresh();
    const { url, token } = await configServer(api);
    const { client } = await connectAgent(at(url), { token });
    const named = { name: 'exa_search', arguments: { query: '\ud800' } };

    await expect(client.callTool(named)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('must not hold half of a surrogate pair'),
      data: { code: 3, violations: [{ field: 'params.query' }] },
    });
  });

  it('runs on a connection whose name is no connector', async () => {
    const { api, at, control } = await fresh();
    await renameConnection(control);
    const key_id = encodeURIComponent('exa.eu/1');
    const { body } = await api
      .post(`/api/v1/mcp/connections/${key_id}/tokens`)
      .send({ identifier: RESEARCH.user_identifier })
      .expect(200);
    const { client } = await connectAgent(at(`http://x/mcp/v3/connections/${key_id}`), body);

    expect((await client.callTool(SEARCH)).isError).toBeFalsy();
  });

  it('gives the link to authorize an account on such a connection', async () => {
    const { api, at, control } = await fresh();
    await renameConnection(control);
    const user_identifier = 'new@acme.example';
    const { client } = await connectAgent(at(await instanceUrl(api, { ...RESEARCH, user_identifier })));

    const answer = await client.callTool(SEARCH);

    expect(answer).toMatchObject({
      isError: true,
      _meta: { authentication_link: expect.stringMatching(/\/magicLink\//) },
    });
    const { body } = await api.get(`/api/v1/connected_accounts?identifier=${user_identifier}`).expect(200);
    expect(body.connected_accounts).toMatchObject([{ status: 'PENDING_AUTH', connector: 'exa.eu/1' }]);
  });
});
