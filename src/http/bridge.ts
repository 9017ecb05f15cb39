import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { readPairs } from '../contract/body.ts';
import { ApiError } from '../errors.ts';
import { header, type Call } from '../pipeline/call.ts';

export interface Addressing {
  /** What issuer and links say; undefined: what the request says of itself. */
  baseUrl: string | undefined;
  /** X-Forwarded-Proto and -Host count. */
  trustProxy: boolean;
}

type Request = IncomingMessage & { body?: unknown };

interface Exchange {
  request: Request;
  response: ServerResponse;
  /** Why the body could not be taken in. */
  bodyError?: ApiError | undefined;
}

export function callOf({ request, response, bodyError }: Exchange, addressing: Addressing): Call {
  const url = request.url ?? '/';
  const [path, search] = splitOnce(url, '?');
  const body = request.body instanceof Uint8Array ? request.body : undefined;
  const { host, origin } = addressOf(request, addressing);
  return {
    protocol: `http/${request.httpVersion}`,
    method: request.method ?? 'GET',
    path,
    url,
    query: search === '' ? {} : readPairs(new URLSearchParams(search)),
    headers: request.headers,
    body,
    size: body?.length ?? 0,
    ...(bodyError && { bodyError }),
    baseUrl: addressing.baseUrl ?? origin,
    host,
    get signal() {
      return signalOf(response);
    },
  };
}

/** Aborts when the connection closes before the answer is complete. */
export function signalOf(response: ServerResponse): AbortSignal {
  const leaving = new AbortController();
  if (response.closed) leaving.abort();
  else response.once('close', () => leaving.abort());
  return leaving.signal;
}

/** Why Express could not take in the body. */
export function bodyErrorOf(thrown: unknown): ApiError {
  const { type, message, limit = 0 } = thrown as { type?: string; message?: string; limit?: number };
  if (type === 'entity.too.large')
    return new ApiError('payload_too_large', `the request body is larger than ${limit / 1_000_000} MB`);
  if (type === 'encoding.unsupported') return new ApiError('unsupported_media_type', String(message));
  return new ApiError('invalid_argument', `the request body can not be read: ${String(message)}`);
}

/** What the request says of where it was sent to. */
export function addressOf(request: IncomingMessage | Http2ServerRequest, { trustProxy }: Addressing) {
  const forwarded = (name: string) =>
    trustProxy ? header(request, `x-forwarded-${name}`)?.split(',')[0]?.trim() : undefined;
  const host = forwarded('host') ?? request.headers.host ?? header(request, ':authority') ?? 'localhost';
  const secure = (request.socket as Partial<TLSSocket>).encrypted;
  const protocol = forwarded('proto') ?? (secure ? 'https' : 'http');
  return { host, origin: `${protocol}://${host}` };
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
