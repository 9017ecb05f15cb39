import type { Booted } from '../support/boot.ts';
import { configServer, connectionServer } from '../support/mcp.ts';
import type { Wanted } from './wanted.ts';

const ACCEPT = { accept: 'application/json, text/event-stream' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'walk', version: '1' } },
};

const withToken = ({ token }: { token: string }) => ({ ...ACCEPT, authorization: `Bearer ${token}` });

/** Starts a session at the server of a path, and returns the headers that name it. */
async function session({ anonymous }: Booted, path: string, headers: Record<string, string>) {
  const answer = await anonymous.post(path).set(headers).send(INITIALIZE).expect(200);
  return { headers: { ...headers, 'mcp-session-id': String(answer.headers['mcp-session-id']) } };
}

/** Requests of an agent to MCP servers. */
export const MCP_MESSAGES: Readonly<Record<string, Wanted>> = {
  McpServer_SendMessage: { headers: ACCEPT },
  McpServer_SendMessage2: { prepare: async ({ api }) => ({ headers: withToken(await configServer(api)) }) },
  McpServer_SendMessage3: {
    prepare: async ({ api }) => ({ headers: withToken(await connectionServer(api)) }),
  },
  McpServer_EndSession: {
    prepare: async (booted) => {
      const { body } = await booted.control.get('/state/mcp_instances').expect(200);
      return session(booted, `/mcp/v1/${body.rows[0].link_token}`, ACCEPT);
    },
  },
  McpServer_EndSession2: {
    prepare: async (booted) => {
      const server = await configServer(booted.api);
      return session(booted, new URL(server.url).pathname, withToken(server));
    },
  },
  McpServer_EndSession3: {
    prepare: async (booted) => {
      const server = await connectionServer(booted.api);
      return session(booted, new URL(server.url).pathname, withToken(server));
    },
  },
};

const OWN_SERVER = 'a session token is good for its own server only';

/** Why these operations answer 401 for an unknown row. */
export const MCP_WITH_TOKEN: Readonly<Record<string, string>> = {
  McpServer_SendMessage2: OWN_SERVER,
  McpServer_SendMessage3: OWN_SERVER,
  McpServer_EndSession2: OWN_SERVER,
  McpServer_EndSession3: OWN_SERVER,
};
