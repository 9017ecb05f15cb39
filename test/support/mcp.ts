import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, onTestFinished } from 'vitest';
import { DEFAULTS, type Config } from '../../src/start/config.ts';
import { listen, type Listener } from '../../src/server/port/listener.ts';
import { bootOnce, type Agent, type Booted } from './boot.ts';

/** The revisions of the protocol: the last one with sessions, and the one without. */
export type Revision = '2025-11-25' | '2026-07-28';

interface AgentOptions {
  token?: string;
  /** For the simulator's own server: the environment of calls that name none. */
  environment?: string;
  revision?: Revision;
}

/** The official client, connected to an MCP server. */
export async function connectAgent(
  url: string,
  { token, environment, revision = '2025-11-25' }: AgentOptions = {},
) {
  const mode = revision === '2025-11-25' ? ('legacy' as const) : { pin: revision };
  const client = new Client({ name: 'test-agent', version: '1.0.0' }, { versionNegotiation: { mode } });
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(environment !== undefined && { 'understudy-environment': environment }),
  };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport };
}

export interface McpBooted extends Booted {
  /** The address at which the simulator of this file listens, for an address that it gave to supertest. */
  at(url: string): string;
}

/** A simulator on a real port, shared by the tests of a file. Each test gets an environment of its own. */
export function bootPort(config: Partial<Config> = {}): () => Promise<McpBooted> {
  const shared = bootOnce(config);
  let listening: Promise<Listener> | undefined;
  afterAll(async () => (await listening)?.stop(0));
  return async () => {
    const booted = await shared.fresh();
    const listener = await (listening ??= listen(booted.understudy, { ...DEFAULTS, port: 0 }));
    return { ...booted, at: (url) => new URL(new URL(url).pathname, listener.url).href };
  };
}

/** A user with accounts on both connections of the configuration `research`. */
export const RESEARCH = { config_name: 'research', user_identifier: 'research-bot' };
export const RESEARCH_CONFIG = 'cfg_10000000000000401';

/** The address and a session token of the server of a configuration. */
export async function configServer(api: Agent, config = RESEARCH_CONFIG, body: object = {}) {
  const path = `/api/v1/mcp/configs/${config}`;
  const shown = await api.get(path).expect(200);
  const made = await api
    .post(`${path}/tokens`)
    .send({ identifier: RESEARCH.user_identifier, ...body })
    .expect(200);
  return { url: shown.body.config.mcp_server_url as string, token: made.body.token as string };
}

/** The address of the server of the connection `exa`, and a token for it. */
export async function connectionServer(api: Agent) {
  const made = await api
    .post('/api/v1/mcp/connections/exa/tokens')
    .send({ identifier: RESEARCH.user_identifier })
    .expect(200);
  const shown = await api.get('/api/v1/connections/conn_10000000000000211').expect(200);
  return { token: made.body.token as string, url: shown.body.connection.mcp_server_url as string };
}

/** The address of a user's instance of a configuration. */
export async function instanceUrl(api: Agent, wanted: object = RESEARCH): Promise<string> {
  const { body } = await api.post('/api/v1/mcp/instances').send(wanted).expect(200);
  return body.instance.url as string;
}
