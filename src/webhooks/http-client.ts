import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { uptime } from '../environment/clock.ts';
import { HostRefused, type AllowedHosts } from './allowed-hosts.ts';
import type { Outcome, AttemptResult } from './call-kind.ts';

export interface HttpRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Whom it may be sent to. */
  allowed: AllowedHosts;
  /** Ends it, whatever it is waiting for. */
  signal: AbortSignal;
  /** Of the answer, in bytes; more is not read. */
  most?: number;
}

export interface HttpAnswer {
  status: number;
  /** The body, or the beginning of it. */
  text: string;
  /** There is more of the body. */
  isCut: boolean;
}

const MOST_READ = 4096;

/**
 * Sends it once, over a connection of its own. Redirects are answers like any other: nobody follows them. Rejects with a
 * `Refusal` where it must not be sent.
 */
export async function postOnce(letter: HttpRequest): Promise<HttpAnswer> {
  const { url, headers, body, allowed, signal, most = MOST_READ } = letter;
  const address = readAddress(url);
  allowed.check(address);
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const send = address.protocol === 'https:' ? requestHttps : requestHttp;
  const sending: ClientRequest = send(address, {
    method: 'POST',
    headers: { ...headers, ...length },
    agent: false,
    signal,
    ...allowed.lookupFor(address),
  });
  try {
    const response = await responseTo(sending, body);
    const parts = await read(response, most);
    signal.throwIfAborted(); // a body without a length ends with its connection, whoever ended that
    return { status: response.statusCode ?? 0, ...parts };
  } finally {
    sending.destroy();
  }
}

function readAddress(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address && /^https?:$/.test(address.protocol)) return address;
  throw new HostRefused('only http and https addresses are called');
}

const responseTo = (sending: ClientRequest, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    sending.on('error', reject);
    sending.on('response', resolve);
    // As it does where the receiver wants to speak another protocol.
    sending.on('close', () => reject(new Error('the connection ended without an answer')));
    sending.end(body);
  });

async function read(response: IncomingMessage, most: number): Promise<Omit<HttpAnswer, 'status'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > most) break;
  }
  return { text: Buffer.concat(chunks).subarray(0, most).toString(), isCut: size > most };
}

export interface OutgoingMessage {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface AttemptOptions {
  allowed: AllowedHosts;
  /** Real milliseconds until it is given up. */
  timeout: number;
  /** Nobody wants to know any more. */
  stopping: AbortSignal;
}

/** Real milliseconds until a call is given up, unless somebody has said otherwise. */
export const DEFAULT_TIMEOUT = 10_000;

/** Sends it; whatever goes wrong is an outcome. */
export async function attempt(message: OutgoingMessage, options: AttemptOptions): Promise<Outcome> {
  const { timeout, stopping, allowed } = options;
  const began = uptime();
  const late = AbortSignal.timeout(timeout);
  const answer = await postOnce({ ...message, allowed, signal: AbortSignal.any([stopping, late]) }).then(
    resultOf,
    (thrown: Error & { code?: string }) => ({
      result: thrown instanceof HostRefused ? ('refused' as const) : ('failed' as const),
      error: late.aborted ? `no answer within ${timeout / 1000} s` : reasonOf(thrown),
    }),
  );
  const { result, ...attempt } = answer;
  return { result, attempts: [{ duration_ms: Math.round(uptime() - began), ...attempt }] };
}

/** What went wrong with several addresses of a name is in an error without words of its own. */
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
