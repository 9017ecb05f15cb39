import type { Env, Rows } from '@understudy/core/state/env';
import { ApiError } from '@understudy/core/contract/errors';
import { isObject } from '@understudy/text/json';
import type { RemoteRequest } from '@understudy/mcp/remote-server';
import { deriveTools, toolName } from '@understudy/core/operations/connections/provider-tools';
import { defaultTool } from './versions.ts';
import { credentialHeaders } from '../accounts/credentials.ts';

type Account = Rows['connected_accounts'];
type Connection = Rows['connections'];
type Tool = Rows['tools'];
type Failure = Pick<NonNullable<Connection['tools_failure']>, 'failure' | 'message'>;

/**
 * Unverified (mcp/lifetime-of-tool-list): how long the service uses a list of tools, and how long it does not ask
 * again. In milliseconds.
 */
const LIST_LIFETIME = 60_000;
const FAILURE_LIFETIME = 10_000;

/**
 * Lists the tools of the connection's own MCP server, if it has one and the last list is too old. If the server fails,
 * the last list stays in use; without one, its failure is thrown. `account`: whose credentials the server gets.
 */
export function discoverTools(env: Env, connection: Connection, account: Account | undefined): void {
  if (isOfOtherServer(connection)) forgetTools(env, connection);
  if (connection.mcp_server_url === undefined) return;
  const { tools_listed_at } = env.connections.get(connection.id);
  if (tools_listed_at !== undefined && !isOld(env, tools_listed_at, LIST_LIFETIME)) return;
  const failed = recentFailure(env, connection) ?? readList(env, connection, account);
  if (failed && tools_listed_at === undefined)
    throw new ApiError(failed.failure, failed.message, {
      writesStand: true,
      why: { kind: 'provider' },
    });
}

/** Lists the tools of the connection's own MCP server, however old the last list is. Throws the server's failure. */
export function refreshTools(env: Env, connection: Connection, account: Account): void {
  if (isOfOtherServer(connection)) forgetTools(env, connection);
  const failed = readList(env, connection, account);
  if (failed)
    throw new ApiError(failed.failure, failed.message, {
      writesStand: true,
      why: { kind: 'provider' },
    });
}

/** Whether the tools of the connection were listed by a server that it no longer names. */
const isOfOtherServer = ({ mcp_server_url, tools_listed_at, tools_listed_by }: Connection): boolean =>
  tools_listed_at !== undefined && tools_listed_by !== mcp_server_url;

/** Gives the connection back the tools that it had before a server listed some. */
function forgetTools(env: Env, connection: Connection): void {
  env.trace(() => {
    replaceTools(env, connection, []);
    deriveTools(env, connection);
    env.connections.update(connection.id, { tools_listed_at: undefined, tools_listed_by: undefined });
  });
}

/** Replaces the tools of the connection by those that its server lists. The failure is remembered. */
function readList(env: Env, connection: Connection, account: Account | undefined): Failure | undefined {
  const { id, mcp_server_url = '' } = connection;
  const outcome = ask(env, connection, account, { method: 'tools/list' });
  const now = env.clock.iso();
  return env.trace(() => {
    if (outcome.failure) {
      const { failure, message } = outcome;
      const tools_failure = { mcp_server_url, failed_at: now, failure, message };
      env.connections.update(id, { tools_failure });
      return tools_failure;
    }
    replaceTools(env, connection, (JSON.parse(outcome.text) as { tools: RemoteTool[] }).tools);
    env.connections.update(id, {
      tools_listed_at: now,
      tools_listed_by: mcp_server_url,
      tools_failure: undefined,
    });
    return undefined;
  });
}

/** A server that just failed is not asked again at once: each list of tools would wait for it. */
function recentFailure(env: Env, { tools_failure: known, mcp_server_url }: Connection): Failure | undefined {
  if (known?.mcp_server_url !== mcp_server_url || !known) return undefined;
  if (isOld(env, known.failed_at, FAILURE_LIFETIME)) return undefined;
  const again = `failed at ${known.failed_at}, and is asked again ${FAILURE_LIFETIME / 1000} s later by the clock`;
  return { ...known, message: `${known.message} (${again} of the environment)` };
}

/** A clock that was set back makes a list old as well. */
const isOld = (env: Env, time: string, lifetime: number) =>
  Math.abs(env.clock.ms - Date.parse(time)) >= lifetime;

export function toolNamed(env: Env, name: string): Tool | undefined {
  const known = defaultTool(env, name);
  const connection = known?.connection_id ? env.connections.find(known.connection_id) : undefined;
  return known && !(connection && isOfOtherServer(connection)) ? known : discoverNamed(env, name);
}

/** Looks for the tool at the MCP servers of the connections that its name may begin with, such as `a` and `a_b`. */
function discoverNamed(env: Env, name: string): Tool | undefined {
  for (const connection of env.connections.list()) {
    const { key_id, mcp_server_url } = connection;
    const hasServer = mcp_server_url !== undefined || isOfOtherServer(connection);
    if (!hasServer || !key_id || !name.startsWith(`c-${key_id}_`)) continue;
    discoverTools(env, connection, activeAccount(env, connection));
    const found = env.tools.findBy('name', name);
    if (found) return found;
  }
  return undefined;
}

export const activeAccount = (env: Env, { id }: Connection): Account | undefined =>
  env.connected_accounts.list('connection_id', id).find(({ status }) => status === 'ACTIVE');

/** The answer of the connection's MCP server; undefined if the tool has none. Throws `RemoteFailure`. */
export function remoteAnswer(
  env: Env,
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  account: Account,
): Record<string, unknown> | undefined {
  const connection = tool.connection_id ? env.connections.get(tool.connection_id) : undefined;
  if (!connection?.mcp_server_url || !tool.mcp_tool) return undefined;
  const params = { name: tool.mcp_tool, arguments: args };
  const outcome = ask(env, connection, account, { method: 'tools/call', params });
  if (outcome.failure) throw new RemoteFailure(outcome.failure, outcome.message);
  const { content = [], structuredContent, isError } = JSON.parse(outcome.text) as RemoteResult;
  if (isError) throw new RemoteFailure('tool_error', textIn(content) || `${tool.mcp_tool} failed`);
  if (!structuredContent) return { content };
  // Unverified (mcp/content-beside-structure): the docs do not say what becomes of images and other content beside
  // structured content.
  if (content.every(isText)) return structuredContent;
  env.decidedBy('mcp/content-beside-structure');
  return { content, structuredContent };
}

const isText = (part: unknown) => isObject(part) && part['type'] === 'text';

/** Why an MCP server has no result. */
export class RemoteFailure extends Error {
  readonly failure: ApiError['failure'];

  constructor(failure: ApiError['failure'], message: string) {
    super(message);
    this.failure = failure;
  }
}

interface RemoteTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: { readOnlyHint?: boolean };
}

interface RemoteResult {
  content?: unknown[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

const ask = (env: Env, connection: Connection, account: Account | undefined, request: RemoteRequest) =>
  env.callProvider({
    kind: request.method === 'tools/list' ? 'mcp_list' : 'mcp_call',
    provider: connection.key_id ?? connection.provider_key,
    method: 'POST',
    url: connection.mcp_server_url ?? '',
    credentials: account ? credentialHeaders(env, account) : {},
    body: JSON.stringify(request),
  });

const textIn = (content: readonly unknown[]) =>
  content
    .flatMap((part) => (isObject(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n');

function replaceTools(env: Env, connection: Connection, listed: readonly RemoteTool[]): void {
  const before = env.tools.list('connection_id', connection.id);
  const known = new Map(before.map((tool) => [tool.mcp_tool ?? '', tool]));
  // A server that names two tools alike means the last one.
  const wanted = new Map(listed.map((tool) => [tool.name, tool]));
  for (const { id, mcp_tool } of before) if (!wanted.has(mcp_tool ?? '')) env.remove('tools', id);
  for (const tool of wanted.values()) {
    const row = rowOf(env, connection, tool);
    const same = known.get(tool.name);
    if (same) env.tools.update(same.id, row);
    else env.tools.insert({ id: env.draw.id('tol'), ...row });
  }
}

function rowOf(env: Env, connection: Connection, tool: RemoteTool): Omit<Tool, 'id'> {
  const { name, title, description = '', inputSchema, outputSchema, annotations } = tool;
  return {
    provider: connection.provider_key,
    definition: {
      name: toolName(connection, name),
      ...(title !== undefined && { display_name: title }),
      description,
      input_schema: inputSchema,
      ...(outputSchema && { output_schema: outputSchema }),
    },
    tags: annotations?.readOnlyHint ? ['read'] : [],
    updated_at: env.clock.iso(),
    connection_id: connection.id,
    mcp_tool: name,
  };
}
