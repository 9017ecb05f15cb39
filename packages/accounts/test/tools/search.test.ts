import { create as createMessage, toJson } from '@bufbuild/protobuf';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { create, oauth, violated } from '../../../../test/support/accounts.ts';
import { bootOnce, type Agent } from '../../../../test/support/boot.ts';
import { bootPort } from '../../../../test/support/mcp.ts';
import { addConnection, listed, serverOf } from '../../../../test/support/remote-mcp.ts';
import { callRpc, grpcTo, METHODS } from '../../../../test/server/grpc/support.ts';

const { fresh } = bootOnce();
const onPort = bootPort();

interface Found {
  name: string;
  provider: string;
  score: number;
  connections: { connection_name: string; connected_account_id: string; readiness_state: string }[];
}

async function search(api: Agent, wanted: object): Promise<Found[]> {
  const { body } = await api.post('/api/v1/tools:search').send(wanted).expect(200);
  return body.tools as Found[];
}

describe('a search for tools', () => {
  it('puts the tool first whose name has the words, then those that only describe them', async () => {
    const { api } = await fresh();

    const found = await search(api, { query: 'send a Slack message', top_k: 50 });

    expect(found[0]).toMatchObject({ name: 'slack_send_message', provider: 'SLACK', connections: [] });
    const scores = found.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
    expect(await search(api, { query: 'zzzyx' })).toEqual([]);
  });

  it('finds by the provider, and ranks that below the name', async () => {
    const { api, control } = await fresh();
    const definition = { name: 'count_things', description: '', input_schema: { type: 'object' } };
    const tool = { provider: 'EXA', definition, tags: [], updated_at: '2030-01-01T00:00:00.000Z' };
    await control.put('/state/tools/tol_20000000000000991').send(tool).expect(200);

    const found = (await search(api, { query: 'exa' })).map(({ name }) => name);

    expect(found).toContain('exa_search');
    expect(found.at(-1)).toBe('count_things');
  });

  it('returns 10 tools, or as many as top_k says, at most 50', async () => {
    const { api } = await fresh();
    const counts = [];
    for (const top_k of [undefined, 0, 3, 1000])
      counts.push((await search(api, { query: 'get list create search', top_k })).length);

    expect(counts).toEqual([10, 10, 3, 50]);
  });

  it('finds only tools of enabled connections', async () => {
    const { api, control } = await fresh();
    const { connections } = (await control.get('/state').expect(200)).body;
    for (const { id, provider_key } of connections)
      if (provider_key === 'SLACK')
        await control.patch(`/state/connections/${id}`).send({ enabled: false }).expect(200);

    const found = await search(api, { query: 'slack send message' });

    expect(found.filter(({ provider }) => provider === 'SLACK')).toEqual([]);
  });

  it('says for each connection of the identifier whether its account can run the tool', async () => {
    const { api, control } = await fresh();
    const identifier = 'nora';
    const { id } = await create(api, { identifier, connected_account: oauth() });
    const state = async () => {
      const found = await search(api, { query: 'gmail fetch mails', identifier });
      const own = found.filter(({ provider }) => provider === 'GMAIL');
      expect(own.length).toBeGreaterThan(0);
      return own.map(({ connections }) => connections)[0];
    };
    const entry = (readiness: string) => [
      {
        connection_name: 'gmail',
        connected_account_id: id,
        readiness_state: `TOOL_READINESS_STATE_${readiness}`,
      },
    ];
    const change = (row: object) => control.patch(`/state/connected_accounts/${id}`).send(row).expect(200);

    expect(await state()).toEqual(entry('READY'));
    await change({ token_expires_at: '2020-01-01T00:00:00.000Z' });
    expect(await state()).toEqual(entry('READY')); // a refresh token is there
    await change({ refresh_fails: true });
    expect(await state()).toEqual(entry('NEEDS_REAUTH'));
    await change({ status: 'EXPIRED' });
    expect(await state()).toEqual(entry('NEEDS_REAUTH'));
    for (const status of ['PENDING_AUTH', 'DISCONNECTED']) {
      await change({ status });
      expect(await state()).toEqual(entry('NEEDS_CONNECTION'));
    }
    const strange = await search(api, { query: 'gmail', identifier: 'nobody' });
    expect(strange.flatMap(({ connections }) => connections)).toEqual([]);
  });

  it.each([
    [{}, 'query', 'required'],
    [{ query: 'x'.repeat(257) }, 'query', 'string.max_len'],
    [{ query: 'mail', identifier: 'x'.repeat(101) }, 'identifier', 'string.max_len'],
  ])('refuses %j', async (body, field, constraint) => {
    const { api } = await fresh();

    expect(await api.post('/api/v1/tools:search').send(body)).toMatchObject(violated(field, constraint));
  });

  it('answers the same over gRPC', async () => {
    const { at, token, api } = await onPort();
    const { input, output } = METHODS.get('ToolService_SearchTools')!;
    const wanted = { query: 'send mail', identifier: 'default', topK: 2 };

    const answer = await callRpc(
      grpcTo(new URL(at('http://localhost/')).origin),
      METHODS.get('ToolService_SearchTools')!,
      createMessage(input, wanted as never),
      { authorization: `Bearer ${token}` },
    );

    const shown = toJson(output, answer as never, { useProtoFieldName: true, alwaysEmitImplicit: true });
    expect(shown).toEqual({
      tools: await search(api, { query: 'send mail', identifier: 'default', top_k: 2 }),
    });
  });
});

describe('reading the tools of an MCP server again', () => {
  const refresh = (api: Agent, wanted: object) => api.post('/api/v1/tools:refresh').send(wanted);

  it('lists what the server has now, without waiting for the last list to be old', async () => {
    const booted = await onPort();
    const names = ['ping'];
    const server = await serverOf((request) =>
      createMcpHandler(() => {
        const made = new Server({ name: 'real', version: '1' }, { capabilities: { tools: {} } });
        const tools = names.map((name) => ({ name, inputSchema: { type: 'object' as const } }));
        made.setRequestHandler('tools/list', () => ({ tools }));
        return made;
      }).fetch(request),
    );
    await addConnection(booted, 'own-mcp', server.url);
    expect(await listed(booted)).toContain('c-own-mcp_ping');
    names.push('pong');
    expect(await listed(booted)).not.toContain('c-own-mcp_pong');

    const { body } = await refresh(booted.api, { connector: 'own-mcp', identifier: 'ada' }).expect(200);

    const found = body.tools.map((tool: { definition: { name: string } }) => tool.definition.name);
    expect(found).toEqual(expect.arrayContaining(['c-own-mcp_ping', 'c-own-mcp_pong']));
    expect(body.total_size).toBe(found.length);
    expect(await listed(booted)).toContain('c-own-mcp_pong');
  });

  it('is refused for a connection without such a server, and without an account', async () => {
    const { api } = await fresh();
    const gmail = { connector: 'gmail', identifier: 'default' };

    expect((await refresh(api, gmail).expect(400)).body.message).toContain('has no MCP server');
    expect((await refresh(api, {}).expect(400)).body.message).toContain('give the id');
    await refresh(api, { connected_account_id: 'ca_1' }).expect(404);
  });
});
