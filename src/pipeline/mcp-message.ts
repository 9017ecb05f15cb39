import { header, type Reply, type Call } from './call.ts';
import type { ToolServer } from '../mcp/protocol.ts';
import type { McpMessage, McpServer } from '../operations/mcp/message.ts';
import { sessionOf } from '../operations/mcp/servers.ts';
import type { Breakage } from '../scenarios/faults.ts';
import { isObject } from '../text/json.ts';
import { McpCalls, type McpCallContext } from './mcp-call.ts';
import { ApiError } from '../errors.ts';

/** Unverified (mcp/session-lifetime): how long a session lives. In milliseconds. */
const SESSION_LIFETIME = 86_400_000;

type MessageContext = Omit<McpCallContext, 'server'>;

interface McpAnswer {
  reply: Reply;
  breakage?: Breakage;
}

/** The answer of an MCP server. The library that speaks the protocol is loaded here, at the first message. */
export async function answerMcp(
  { server, message }: McpMessage,
  context: MessageContext,
): Promise<McpAnswer> {
  refuseBatch(message);
  const { answerMessage, hasSessions } = await import('../mcp/protocol.ts');
  const calls = new McpCalls({ ...context, server });
  const tools: ToolServer = {
    name: server.name,
    version: context.contract.version,
    tools: server.tools.map(({ shown }) => shown),
    call: (name, args) => calls.run(name, args),
  };
  const withSession = await hasSessions(requestOf(context.call));
  const starts = isObject(message) && message['method'] === 'initialize';
  if (withSession && !starts && isObject(message)) requireSession(server, context);
  const response = await answerMessage(requestOf(context.call), tools, withSession);
  const reply = await replyOf(response);
  if (withSession && starts) startSession(reply, server, context);
  return { reply, ...(calls.breakage && { breakage: calls.breakage }) };
}

function requireSession(server: McpServer, { call, environment }: MessageContext) {
  environment.transact({ caller: undefined, baseUrl: call.baseUrl }, (env) =>
    sessionOf(env, server, header(call, 'mcp-session-id')),
  );
}

/** Only an answer without an error starts a session. */
function startSession(
  reply: Reply,
  { id: server, identifier }: McpServer,
  { call, environment }: MessageContext,
): void {
  const result = isObject(reply.body) ? reply.body['result'] : undefined;
  if (reply.status !== 200 || !isObject(result)) return;
  const { result: session } = environment.transact({ caller: undefined, baseUrl: call.baseUrl }, (env) =>
    env.mcp_sessions.insert({
      id: env.draw.uuid(),
      server,
      identifier,
      protocol_version: String(result['protocolVersion']),
      create_time: env.clock.iso(),
      expires_at: env.clock.after(SESSION_LIFETIME),
    }),
  );
  reply.headers = { ...reply.headers, 'mcp-session-id': session.id };
}

/** Versions since 2025-06-18 have no batches, and with a batch nobody could say which of its calls was refused. */
export function refuseBatch(message: unknown): void {
  if (Array.isArray(message))
    throw new ApiError('invalid_argument', 'Invalid Request: send one message at a time');
}

/** The call as the library that speaks the protocol reads it. */
export function requestOf(call: Call): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(call.headers))
    if (/^(accept|content-type|mcp-.*)$/.test(name) && value !== undefined) headers.set(name, String(value));
  const url = `${call.baseUrl}${call.url}`;
  return new Request(url, { method: 'POST', headers, body: call.body ? Buffer.from(call.body) : null });
}

export async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  if (text === '') return { status: response.status, headers: {}, body: undefined };
  const type = response.headers.get('content-type') ?? '';
  const isEvents = type.startsWith('text/event-stream'); // such as the answer to `subscriptions/listen`
  const headers = { 'content-type': isEvents ? type : 'application/json' };
  return { status: response.status, headers, body: isEvents ? text : (JSON.parse(text) as unknown) };
}
