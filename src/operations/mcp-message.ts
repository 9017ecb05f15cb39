import type { MessageReply, PostedMessage } from '@understudy/mcp/http';
import { ApiError } from '../contract/errors.ts';
import type { Env } from '../state/env.ts';
import { CustomReply } from './handler.ts';

/** What the answer to a message for an MCP server may use. */
export interface MessageContext {
  call: PostedMessage;
  /** The version of the contract. */
  version: string;
  /** Runs a unit of work. */
  transact: <T>(run: (env: Env) => T) => T;
  /** Serves a call to the service that a tool makes. The status is 0 if it gets no answer. */
  send: (path: string, message: object) => Promise<{ status: number; body: unknown }>;
}

/** Versions since 2025-06-18 have no batches, and with a batch nobody could say which of its calls was refused. */
export function refuseBatch(message: unknown): void {
  if (Array.isArray(message))
    throw new ApiError('invalid_argument', 'Invalid Request: send one message at a time', {
      why: { kind: 'protocol' },
    });
}

/** A message for an MCP server. The pipeline has it answered after the unit of work, because tools are calls of their own. */
export class McpMessage extends CustomReply {
  readonly answer: (context: MessageContext) => Promise<MessageReply>;

  constructor(answer: McpMessage['answer']) {
    super(200, { 'content-type': 'application/json' }, '');
    this.answer = answer;
  }
}
