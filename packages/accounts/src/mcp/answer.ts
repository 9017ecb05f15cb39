import type { ToolServer } from '@understudy/mcp/protocol';
import { replyOf, requestOf, type MessageReply } from '@understudy/mcp/http';
import { refuseBatch, type MessageContext } from '@understudy/core/operations/mcp-message';
import type { McpServer } from './mcp-server.ts';
import { sessionOf } from './servers.ts';
import { isObject } from '@understudy/text/json';
import { ToolCalls } from './tool-calls.ts';

/** Unverified (mcp/session-lifetime): how long a session lives. In milliseconds. */
const SESSION_LIFETIME = 86_400_000;

/** The answer of an MCP server. The library that speaks the protocol is loaded here, at the first message. */
export async function answerMcp(
  server: McpServer,
  message: unknown,
  context: MessageContext,
): Promise<MessageReply> {
  refuseBatch(message);
  const { answerMessage, hasSessions } = await import('@understudy/mcp/protocol');
  const { call, version } = context;
  const calls = new ToolCalls({ ...context, server });
  const tools: ToolServer = {
    name: server.name,
    version,
    tools: server.tools.map(({ shown }) => shown),
    call: (name, args) => calls.run(name, args),
  };
  const withSession = await hasSessions(requestOf(call));
  const starts = isObject(message) && message['method'] === 'initialize';
  if (withSession && !starts && isObject(message)) requireSession(server, context);
  const response = await answerMessage(requestOf(call), tools, withSession);
  const reply = await replyOf(response);
  if (withSession && starts) startSession(reply, server, context);
  return reply;
}

function requireSession(server: McpServer, { call, transact }: MessageContext) {
  transact((env) => sessionOf(env, server, [call.headers['mcp-session-id']].flat()[0]));
}

/** Only an answer without an error starts a session. */
function startSession(
  reply: MessageReply,
  { id: server, identifier }: McpServer,
  { transact }: MessageContext,
): void {
  const result = isObject(reply.body) ? reply.body['result'] : undefined;
  if (reply.status !== 200 || !isObject(result)) return;
  const session = transact((env) =>
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
