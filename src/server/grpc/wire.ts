import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { IncomingHttpHeaders as Http2Headers, ServerHttp2Stream } from 'node:http2';
import type { ConnectError } from '@connectrpc/connect';
import type { connectNodeAdapter } from '@connectrpc/connect-node';
import { shortMessage, statusDetails, statusOf } from './status.ts';
import { ApiError, invalidArgument } from '../../contract/errors.ts';
import type { AnswerHeaders } from '@understudy/text/json';

/** Handles an RPC from either of Node's servers, HTTP/1.1 or HTTP/2. */
export type RpcListener = ReturnType<typeof connectNodeAdapter>;
export type RpcRequest = Parameters<RpcListener>[0];
export type RpcResponse = Parameters<RpcListener>[1];

/** Serves an HTTP/2 stream if it is a plain gRPC call. Calls `otherwise` for any other stream. */
export type StreamHandler = (
  stream: ServerHttp2Stream,
  headers: Http2Headers,
  rawHeaders: readonly string[],
  otherwise: () => void,
) => void;

/** Answers RPCs. */
export interface RpcServer {
  listener: RpcListener;
  handleStream: StreamHandler;
  /** Tells callers of the health service that this process is about to stop, and ends the streams that have no end. */
  drain?(): void;
}

const STATUS = 'grpc-status';
const MESSAGE = 'grpc-message';
const DETAILS = 'grpc-status-details-bin';

/**
 * Adds details to every error, because Python's SDK crashes on an error without details. The hook is in the trailers,
 * so that it also covers errors that the library answers by itself (unreadable messages, unknown methods, sizes).
 * Unverified (grpc/error-details): which errors of the service have details.
 */
export function detailed(request: RpcRequest, response: RpcResponse): void {
  announceTrailers(request, response);
  const add = response.addTrailers.bind(response) as (trailers: OutgoingHttpHeaders) => void;
  response.addTrailers = (trailers: OutgoingHttpHeaders) => add(withDetails({ ...trailers }));
}

/** Go's SDK speaks gRPC over HTTP/1.1 and reads only trailers that the `trailer` header announces. */
export function announceTrailers(request: RpcRequest, response: RpcResponse): void {
  const type = request.headers['content-type'] ?? '';
  if (request.httpVersionMajor === 1 && /^application\/grpc(\+|;|$)/.test(type))
    (response as ServerResponse).setHeader('trailer', [STATUS, MESSAGE, DETAILS]);
}

/** The trailers of a successful call. */
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

/** Bytes before each message: one of flags, four of length. */
const FRAME_HEAD = 5;

/** The head of an uncompressed message of `length` bytes. */
export function frameHead(length: number): Buffer {
  const head = Buffer.alloc(FRAME_HEAD);
  head.writeUInt32BE(length, 1);
  return head;
}

export function frame(bytes: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(FRAME_HEAD + bytes.length);
  framed[0] = 0;
  framed.writeUInt32BE(bytes.length, 1);
  framed.set(bytes, FRAME_HEAD);
  return framed;
}

/** Reads the one message of a call. Throws ApiError if there is not exactly one. */
export function readFrame(body: Buffer): Uint8Array {
  if (body.length === 0) throw new ApiError('unimplemented', 'the call has no message');
  if (body.length < FRAME_HEAD || body.readUInt32BE(1) !== body.length - FRAME_HEAD)
    throw invalidArgument('the call must have exactly one message');
  if (body[0] !== 0)
    throw new ApiError(
      'internal',
      'the message is compressed, but no grpc-encoding header names the encoding',
    );
  return body.subarray(FRAME_HEAD);
}

/** Headers that gRPC sets itself or that belong to a connection or a JSON body. A scenario may set any of them. */
const NOT_METADATA =
  /^(connection|content-.*|grpc-.*|host|http2-settings|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

/** The headers of a reply that may be sent with an RPC's answer. */
export function metadataOf(headers: AnswerHeaders): Record<string, string | string[]> {
  const metadata: Record<string, string | string[]> = {};
  for (const name in headers) if (!NOT_METADATA.test(name)) metadata[name] = headers[name]!;
  return metadata;
}
