import { type Cause, timeCause } from '@understudy/core/contract/cause';
import type { Env, Rows } from '@understudy/core/state/env';
import { ApiError, notFound } from '@understudy/core/contract/errors';
import { isObject } from '@understudy/text/json';
import { ownCode } from '@understudy/text/issued-code';
import { connectionOf } from '../accounts/account-selection.ts';
import { CustomReply, type Operations } from '@understudy/core/operations/handler';
import { acceptsUnknown } from '@understudy/core/operations/connections/provider-tools';
import { genericTool } from '../tools/generic-tools.ts';
import { activeAccount, discoverTools } from '../tools/connection-tools.ts';
import { canRun } from '../tools/tool-lists.ts';
import { accountOn, type OfferedTools } from './offered-tools.ts';
import { McpMessage } from '@understudy/core/operations/mcp-message';
import type { McpServer, ServedTool } from './mcp-server.ts';

interface Target extends Omit<McpServer, 'tools'> {
  offer: OfferedTools;
}

/** The path names an instance or an MCP server of one user, a configuration, or a connection. */
interface ServerPath {
  link_token?: string;
  server_token?: string;
  connection_name?: string;
}

export const servers = {
  McpServer_SendMessage({ path, body }, env) {
    const server = serverOf(env, path);
    return new McpMessage(async (context) => (await import('./answer.ts')).answerMcp(server, body, context));
  },

  McpServer_EndSession({ path, headers }, env) {
    const session = sessionOf(env, targetOf(env, path), headers['mcp-session-id']);
    env.remove('mcp_sessions', session.id);
    return new CustomReply(200, {});
  },

  McpServer_GetMetadata({ path }: { path: ServerPath }, env: Env) {
    const { name } = targetOf(env, path);
    const resource = path.server_token
      ? `servers/${path.server_token}`
      : `connections/${encodeURIComponent(path.connection_name ?? '')}`;
    return {
      resource: `${env.baseUrl}/mcp/v3/${resource}`,
      resource_name: name,
      authorization_servers: [env.baseUrl],
      bearer_methods_supported: ['header'],
    };
  },
} satisfies Partial<Operations>;

/** The session that a client names. Throws for a missing name, an unknown session, and another user's session. */
export function sessionOf(
  env: Env,
  { id, identifier }: Pick<McpServer, 'id' | 'identifier'>,
  name: string | undefined,
): Rows['mcp_sessions'] {
  if (!name)
    throw new ApiError('invalid_argument', 'the header mcp-session-id is required', {
      jsonRpc: -32000,
      why: { kind: 'protocol' },
    });
  const session = env.mcp_sessions.find(name);
  const isOwn = session?.server === id && session.identifier === identifier;
  if (session && isOwn && !env.clock.isPast(session.expires_at)) return session;
  throw new ApiError('not_found', 'Session not found', {
    jsonRpc: -32001,
    why: sessionCause(session, isOwn),
  });
}

/** The id of a session is as good as a password, so it is not named. */
function sessionCause(session: Rows['mcp_sessions'] | undefined, isOwn: boolean): Cause {
  if (!session)
    return {
      kind: 'unknown',
      says: 'no session has the id in the header mcp-session-id: send initialize first',
    };
  if (!isOwn) return { kind: 'permission', says: 'the session is of another server or user' };
  return timeCause(session.expires_at, 'the session has expired');
}

function serverOf(env: Env, path: ServerPath): McpServer {
  const { offer, ...server } = targetOf(env, path);
  const { identifier } = server;
  const tools = new Map<string, ServedTool>();
  for (const id of offer.connection_ids)
    addTools(env, tools, { connection: env.connections.get(id), identifier, wanted: offer.tools[id] });
  return { ...server, tools: [...tools.values()] };
}

function targetOf(env: Env, { link_token, server_token, connection_name }: ServerPath): Target {
  if (link_token !== undefined) return ofLink(env, link_token);
  const identifier = env.caller?.agent?.identifier ?? '';
  if (connection_name !== undefined) {
    const { id, key_id = '' } = connectionOf(env, connection_name);
    return { id, name: key_id, identifier, offer: { connection_ids: [id], tools: {} } };
  }
  const config = env.mcp_configs.findBy('server_token', ownCode(env, server_token ?? '') ?? '');
  if (!config) throw unknownServer();
  return { id: config.id, name: config.name, identifier, offer: config };
}

/** The address of an instance needs no token: it is itself a credential (Scalekit docs, Generate user MCP URLs). */
function ofLink(env: Env, link_token: string): Target {
  const token = ownCode(env, link_token) ?? '';
  const instance = env.mcp_instances.findBy('link_token', token);
  if (instance) {
    const { id, name, user_identifier: identifier, config_id } = instance;
    return { id, name, identifier, offer: env.mcp_configs.get(config_id), instance_id: id };
  }
  const mcp = env.mcps.findBy('link_token', token);
  if (!mcp) throw unknownServer();
  return { id: mcp.id, name: mcp.id, identifier: mcp.connected_account_identifier, offer: mcp };
}

/** The address is a secret, so the message does not repeat it. */
const unknownServer = () => notFound('mcp server', 'of this address');

interface OfferedConnection {
  connection: Rows['connections'];
  /** The user. */
  identifier: string;
  /** The names of its tools; absent: all. */
  wanted: readonly string[] | undefined;
}

/** Unverified (mcp/same-tool-twice): if two connections of a provider offer a tool, the first one has it. */
function addTools(
  env: Env,
  tools: Map<string, ServedTool>,
  { connection, identifier, wanted }: OfferedConnection,
): void {
  const { account_ids = [], isReadOnly = false } = env.caller?.agent ?? {};
  const account =
    account_ids.find((id) => env.connected_accounts.find(id)?.connection_id === connection.id) ??
    accountOn(env, connection.id, identifier)?.id;
  const own = account === undefined ? activeAccount(env, connection) : env.connected_accounts.get(account);
  discoverTools(env, connection, own);
  const { provider_key } = connection;
  for (const tool of [
    ...env.tools.list('provider', provider_key),
    ...genericTools(env, provider_key, wanted),
  ]) {
    const { name } = tool.definition;
    const isWanted = wanted?.includes(name) ?? true;
    const isAllowed = !isReadOnly || tool.tags.includes('read');
    if (!isWanted || !isAllowed || !canRun(connection, tool)) continue;
    if (tools.has(name)) {
      env.decidedBy('mcp/same-tool-twice');
      continue;
    }
    tools.set(name, {
      ...viewTool(tool),
      connector: connection.key_id ?? '',
      ...(account && { connected_account_id: account }),
    });
  }
}

/** Those of the wanted tools that no row describes, if the settings accept them. */
const genericTools = (env: Env, provider: string, wanted: readonly string[] = []) =>
  wanted
    .filter((name) => !env.tools.findBy('name', name) && acceptsUnknown(env))
    .map((name) => genericTool(name, provider));

/** As MCP describes a tool. Clients refuse a whole list if one schema is not of an object. */
function viewTool({ definition, tags }: Rows['tools']): Pick<ServedTool, 'shown'> {
  const { name, display_name, description, input_schema, output_schema } = definition;
  return {
    shown: {
      name,
      ...(display_name && { title: display_name }),
      description,
      inputSchema: { ...input_schema, type: 'object' },
      ...(isObject(output_schema) && { outputSchema: { ...output_schema, type: 'object' } }),
      annotations: { readOnlyHint: tags.includes('read') },
    },
  };
}
