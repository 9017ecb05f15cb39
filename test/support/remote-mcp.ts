import { receiver, type Receiver } from './receiver.ts';
import type { Booted } from './boot.ts';

export const OWNER = { connector: 'own-mcp', identifier: 'ada' };
export const STATIC = { static_auth: { details: { token: 'tok_ada' } } };

/** Adds a connection to a real MCP server, and an account of Ada. Resolves to the id of the connection. */
export async function addConnection(
  { api, control }: Booted,
  key_id: string,
  mcp_server_url: string,
): Promise<string> {
  const connection = { provider_key: 'APIFYMCP', type: 'BEARER', key_id };
  const made = await api.post('/api/v1/connections?flags.is_app=true').send(connection).expect(201);
  const { id } = made.body.connection;
  await control.patch(`/state/connections/${id}`).send({ mcp_server_url }).expect(200);
  const account = { ...OWNER, connector: key_id, connected_account: { authorization_details: STATIC } };
  await api.post('/api/v1/connected_accounts').send(account).expect(201);
  return id as string;
}

/** The names of the connection's tools. */
export async function listed({ api }: Booted): Promise<string[]> {
  const { body } = await api.get('/api/v1/tools?filter.connector=own-mcp&filter.summary=true').expect(200);
  return (body.tool_names as string[]).filter((name) => name.startsWith('c-own-mcp_'));
}

export const execute = ({ api }: Booted, tool_name: string, params: object) =>
  api.post('/api/v1/execute_tool').send({ tool_name, params, ...OWNER });

/** An MCP server of the official library on a port of this machine. */
export async function serverOf(answer: (request: Request) => Promise<Response>): Promise<Receiver> {
  const server = await receiver();
  server.answers(async (response, { method, headers, text }) => {
    const init = {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      body: text || null,
    };
    const request = new Request(server.url, init);
    const answered = await answer(request);
    response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(await answered.text());
  });
  return server;
}
