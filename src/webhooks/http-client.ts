import { isUtf8 } from 'node:buffer';
import {
  request as requestHttp,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { uptime } from '../state/clock.ts';
import { HostRefused, type AllowedHosts } from './allowed-hosts.ts';
import type { CallOutcome, AttemptResult } from './delivery-attempt.ts';

export interface HttpRequest {
  url: string;
  /** Without it, POST. */
  method?: string;
  headers: Readonly<Record<string, string | string[]>>;
  body: string | Uint8Array;
  allowed: AllowedHosts;
  /** Aborts the request at any point. */
  signal: AbortSignal;
  /** Bytes of the answer that are read at most. */
  maxBytes?: number;
}

export interface HttpAnswer {
  status: number;
  /** The body, or its beginning. */
  text: string;
  /** Whether the body is longer than `text`. */
  isCut: boolean;
}

/** An answer with its headers. */
export interface WholeAnswer extends HttpAnswer {
  headers: IncomingHttpHeaders;
  /** Whether the body is text in UTF-8. Otherwise `text` has lost bytes. */
  isUtf8: boolean;
}

const DEFAULT_MAX_BYTES = 4096;

/**
 * Sends one request over a connection of its own and does not follow redirects. Throws `HostRefused` if the address is
 * not allowed.
 */
export async function sendOnce(request: HttpRequest): Promise<WholeAnswer> {
  const { url, method = 'POST', headers, body, allowed, signal, maxBytes = DEFAULT_MAX_BYTES } = request;
  const framing = Object.keys(headers).find((name) => FRAMING.test(name));
  if (framing) throw new Error(`the header ${framing} is not sent, because it follows from the request`);
  const address = readAddress(url);
  allowed.check(address);
  const isEmpty = body.length === 0 && method !== 'POST';
  const length = isEmpty ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const send = address.protocol === 'https:' ? requestHttps : requestHttp;
  const sending: ClientRequest = send(address, {
    method,
    headers: { ...headers, ...length },
    agent: false,
    signal,
    ...allowed.lookupFor(address),
  });
  try {
    const response = await responseTo(sending, body);
    const parts = await read(response, maxBytes);
    signal.throwIfAborted(); // a body without content-length ends with its connection, even if an abort ended that
    return { status: response.statusCode ?? 0, headers: response.headers, ...parts };
  } finally {
    sending.destroy();
  }
}

/** Headers with which a stored name, such as that of an API key's header, would break the request. */
const FRAMING =
  /^(host|content-length|transfer-encoding|connection|keep-alive|proxy-connection|te|trailer|upgrade|expect)$/i;

function readAddress(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address && /^https?:$/.test(address.protocol)) return address;
  throw new HostRefused('only http and https addresses are called');
}

const responseTo = (sending: ClientRequest, body: string | Uint8Array): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    sending.on('error', reject);
    sending.on('response', resolve);
    // For example if the receiver answers with another protocol.
    sending.on('close', () => reject(new Error('the connection ended without an answer')));
    sending.end(body);
  });

async function read(
  response: IncomingMessage,
  maxBytes: number,
): Promise<Omit<WholeAnswer, 'status' | 'headers'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  const body = Buffer.concat(chunks).subarray(0, maxBytes);
  return { text: body.toString(), isCut: size > maxBytes, isUtf8: isUtf8(body) };
}

interface OutgoingMessage {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

interface AttemptOptions {
  allowed: AllowedHosts;
  /** Real milliseconds. */
  timeout: number;
  /** Aborts the attempt. */
  stopping: AbortSignal;
}

/** Real milliseconds. */
export const DEFAULT_TIMEOUT = 10_000;

/** Never throws: a failure is an outcome. */
export async function attempt(message: OutgoingMessage, options: AttemptOptions): Promise<CallOutcome> {
  const { timeout, stopping, allowed } = options;
  const startedAt = uptime();
  const timedOut = AbortSignal.timeout(timeout);
  const answer = await sendOnce({ ...message, allowed, signal: AbortSignal.any([stopping, timedOut]) }).then(
    resultOf,
    (thrown: Error & { code?: string }) => ({
      result: thrown instanceof HostRefused ? ('refused' as const) : ('failed' as const),
      error: timedOut.aborted ? `no answer within ${timeout / 1000} s` : reasonOf(thrown),
    }),
  );
  const { result, ...attempt } = answer;
  return { result, attempts: [{ duration_ms: Math.round(uptime() - startedAt), ...attempt }] };
}

/** An AggregateError (several addresses of one host failed) has no message of its own. */
const reasonOf = ({ message, code, name }: Error & { code?: string }) => message || (code ?? name);

export function resultOf({ status, text }: HttpAnswer) {
  const result: AttemptResult = status >= 200 && status < 300 ? 'delivered' : 'failed';
  const isRedirect = status >= 300 && status < 400;
  return {
    result,
    status,
    ...(text && { answer: text }),
    ...(isRedirect && { error: 'redirects are not followed' }),
  };
}
