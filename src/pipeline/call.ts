import type { Route } from '../contract/router.ts';
import type { UnknownField } from '../contract/types.ts';
import type { Caller } from '../state/env.ts';
import type { ApiError } from '../contract/errors.ts';
import type { Breakage } from '../scenarios/faults.ts';
import type { AnswerHeaders } from '@understudy/text/json';

/** One request over any protocol. */
export interface Call {
  protocol: string;
  method: string;
  /** Without the query, not decoded. */
  path: string;
  /** With the query. */
  url: string;
  query: Record<string, string | string[]>;
  /** The operation, if the caller named it as RPCs do, or if it was looked up before; else it follows from method and path. */
  route?: Route | undefined;
  /** Whether the call is an RPC that no operation has. */
  isUnknownRpc?: boolean;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array | undefined;
  /** For an RPC: its message, used as the body. */
  message?: unknown;
  /** Fields of the message that its type lacks. */
  unknown?: readonly UnknownField[] | undefined;
  /** For a call that another call makes, such as that of an MCP server's tool: who makes it. */
  caller?: Caller;
  /** The name of its environment, if that was found before. */
  readonly environment?: string;
  /** The journal's id of that call. */
  madeBy?: string;
  /** The size of the body in bytes. */
  size: number;
  /** Why the body was not read, for example because of its size. */
  bodyError?: ApiError | undefined;
  /** The base URL of the issuer and of links in the answer. */
  baseUrl: string;
  /** The IP address of the caller, as far as it is known. */
  address?: string | undefined;
  host: string;
  /** Aborts when the caller disconnects before the answer is complete. Created on first access. */
  readonly signal?: AbortSignal;
}

export interface Reply {
  /** 0: the call got no answer. */
  status: number;
  headers: AnswerHeaders;
  /** A JSON value, or a text that is sent unchanged; undefined: no body. */
  body: unknown;
}

/** A reply with the text of its body, which the journal and the sender share. */
export interface WrittenReply extends Reply {
  text: string | undefined;
  /** A stream that is sent instead of a text until the caller disconnects. */
  chunks?: AsyncIterable<string | Uint8Array>;
  /** How a scenario breaks the sending off. */
  breakage?: Breakage | undefined;
}

export function written({ status, headers, body }: Reply): WrittenReply {
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  return { status, headers, body, text };
}

export function header(call: Pick<Call, 'headers'>, name: string): string | undefined {
  const value = call.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The tokens of all `Authorization: Bearer` headers. One valid token is enough. */
export function bearerTokens({ headers: { authorization } }: Pick<Call, 'headers'>): string[] {
  if (Array.isArray(authorization)) return authorization.flatMap(tokenIn);
  return authorization === undefined ? [] : tokenIn(authorization);
}

const tokenIn = (value: string) => /^Bearer\s+(\S+)\s*$/i.exec(value)?.slice(1) ?? [];

/** Whether the caller's `Accept` names HTML before JSON, as browsers do. */
export function preferred(accept: string): 'json' | 'html' {
  const html = accept.search(/text\/html/);
  const json = accept.search(/application\/json|\*\/\*/);
  return html >= 0 && (json < 0 || html < json) ? 'html' : 'json';
}
