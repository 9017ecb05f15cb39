import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { IncomingHttpHeaders as Http2Headers, ServerHttp2Stream } from 'node:http2';
import type { ConnectError } from '@connectrpc/connect';
import type { connectNodeAdapter } from '@connectrpc/connect-node';
import { shortMessage, statusDetails, statusOf } from './status.ts';

/** What both of Node's servers hand over. */
export type RpcListener = ReturnType<typeof connectNodeAdapter>;
export type RpcRequest = Parameters<RpcListener>[0];
export type RpcResponse = Parameters<RpcListener>[1];

/** Takes over a stream of HTTP/2 that is a call of plain gRPC; with all else it does what is to be done otherwise. */
export type StreamTaker = (
  stream: ServerHttp2Stream,
  headers: Http2Headers,
  rawHeaders: readonly string[],
  otherwise: () => void,
) => void;

/** Where RPCs are answered. */
export interface RpcServer {
  listener: RpcListener;
  takeStream: StreamTaker;
}

const STATUS = 'grpc-status';
const MESSAGE = 'grpc-message';
const DETAILS = 'grpc-status-details-bin';

/**
 * Every failure goes out with details: Python's SDK fails itself on one that has none. What the library answers by
 * itself (unreadable messages, unknown methods, sizes) meets our own answers only where trailers are written.
 */
export function detailed(request: RpcRequest, response: RpcResponse): void {
  announceTrailers(request, response);
  const add = response.addTrailers.bind(response) as (trailers: OutgoingHttpHeaders) => void;
  response.addTrailers = (trailers: OutgoingHttpHeaders) => add(withDetails({ ...trailers }));
}

/** Go's SDK speaks gRPC over HTTP/1.1, and wants trailers to be announced. */
export function announceTrailers(request: RpcRequest, response: RpcResponse): void {
  const type = request.headers['content-type'] ?? '';
  if (request.httpVersionMajor === 1 && /^application\/grpc(\+|;|$)/.test(type))
    (response as ServerResponse).setHeader('trailer', [STATUS, MESSAGE, DETAILS]);
}

/** Of a call that has succeeded. */
export const OK: OutgoingHttpHeaders = { [STATUS]: '0' };

export const trailersOf = (error: ConnectError): OutgoingHttpHeaders => ({
  [STATUS]: String(error.code),
  [MESSAGE]: encodeURIComponent(error.rawMessage),
  [DETAILS]: statusOf(error),
});

function withDetails(trailers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const code = Number(trailers[STATUS] ?? 0);
  if (code === 0 || trailers[DETAILS]) return trailers;
  const message = shortMessage(decodeURIComponent(String(trailers[MESSAGE] ?? '')));
  return { ...trailers, [MESSAGE]: encodeURIComponent(message), [DETAILS]: statusDetails(code, message) };
}
