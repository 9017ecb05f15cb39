import type { Route } from '../contract/router.ts';
import type { ApiError } from '../errors.ts';
import type { Breakage } from '../scenarios/faults.ts';
import type { AnswerHeaders } from '../text/json.ts';

/** One request, whatever carried it. */
export interface Call {
  protocol: string;
  method: string;
  /** Without the query, as it came. */
  path: string;
  /** With the query. */
  url: string;
  query: Record<string, string | string[]>;
  /** Where the caller has named the operation itself; absent: method and path tell. */
  route?: Route | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array | undefined;
  /** Of an RPC, its message in the place of a body. */
  message?: unknown;
  /** Of the body, in bytes. */
  size: number;
  /** Why the body could not be taken in, such as its size. */
  bodyError?: ApiError | undefined;
  /** What issuer and links of the answer say. */
  baseUrl: string;
  host: string;
  /** Aborts when the caller leaves before the answer is complete. Made when it is asked for. */
  readonly signal?: AbortSignal;
}

export interface Reply {
  /** 0: no answer at all, as fetch has it. */
  status: number;
  headers: AnswerHeaders;
  /** Plain JSON, or a text that is sent as it is; undefined: no body. */
  body: unknown;
}

/** A reply as it goes over the wire: journal and sender both want the body's text, and it is made once. */
export interface WrittenReply extends Reply {
  text: string | undefined;
  /** What follows the head, instead of a text, for as long as the caller stays. */
  chunks?: AsyncIterable<string>;
  /** How sending it goes wrong, where a scenario wants that. */
  breakage?: Breakage | undefined;
}

export function written(reply: Reply): WrittenReply {
  const { body } = reply;
  return { ...reply, text: typeof body === 'string' || body === undefined ? body : JSON.stringify(body) };
}

export function header(call: Pick<Call, 'headers'>, name: string): string | undefined {
  const value = call.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Of JSON and HTML, what the caller names first; browsers name HTML. */
export function preferred(accept: string): 'json' | 'html' {
  const html = accept.search(/text\/html/);
  const json = accept.search(/application\/json|\*\/\*/);
  return html >= 0 && (json < 0 || html < json) ? 'html' : 'json';
}
