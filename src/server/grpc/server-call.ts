import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import {
  Http2ServerResponse,
  type IncomingHttpHeaders as Http2Headers,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Readable, Writable } from 'node:stream';
import { announceTrailers, type RpcRequest, type RpcResponse } from './wire.ts';

/** A plain gRPC call: its request and its response, whichever of Node's APIs delivers it. */
export interface ServerCall {
  readonly headers: IncomingHttpHeaders;
  /** The stream from which the message is read. */
  readonly source: Readable;
  /** Closes when the call is over, for whatever reason. */
  readonly sink: Writable;
  /** The raw response, for fault injection. */
  readonly response: RpcResponse;
  /** Sends head, message (`bytes`; none if undefined) and trailers. */
  answer(head: OutgoingHttpHeaders, bytes: Uint8Array | undefined, trailers: OutgoingHttpHeaders): void;
}

/** A call over HTTP/1.1, or over HTTP/2 through Node's compatibility API. */
export class RequestCall implements ServerCall {
  readonly #request: RpcRequest;
  readonly response: RpcResponse;

  constructor(request: RpcRequest, response: RpcResponse) {
    this.#request = request;
    this.response = response;
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  get source(): Readable {
    return this.#request;
  }

  get sink(): Writable {
    return this.response;
  }

  answer(head: OutgoingHttpHeaders, bytes: Uint8Array | undefined, trailers: OutgoingHttpHeaders): void {
    announceTrailers(this.#request, this.response);
    answerBy(this.response, head, bytes, trailers);
  }
}

function answerBy(
  response: RpcResponse,
  head: OutgoingHttpHeaders,
  bytes: Uint8Array | undefined,
  trailers: OutgoingHttpHeaders,
): void {
  (response as { writeHead(status: number, headers: object): void }).writeHead(200, head);
  if (bytes) response.write(bytes);
  response.addTrailers(trailers);
  response.end();
}

const WITH_TRAILERS = { waitForTrailers: true };

/** A call on a raw HTTP/2 stream. Node's compatibility API would cost as much time as the call itself. */
export class StreamCall implements ServerCall {
  readonly headers: Http2Headers;
  readonly source: ServerHttp2Stream;
  #response: Http2ServerResponse | undefined;

  constructor(stream: ServerHttp2Stream, headers: Http2Headers) {
    this.source = stream;
    this.headers = headers;
    stream.on('error', () => {}); // the caller disconnected; the stream closes by itself
  }

  get sink(): ServerHttp2Stream {
    return this.source;
  }

  get response(): Http2ServerResponse {
    return (this.#response ??= new Http2ServerResponse(this.source));
  }

  answer(head: OutgoingHttpHeaders, bytes: Uint8Array | undefined, trailers: OutgoingHttpHeaders): void {
    const stream = this.source;
    if (stream.destroyed) return;
    if (this.#response) return answerBy(this.#response, head, bytes, trailers); // its trailers are sent through the same API
    stream.respond({ ':status': 200, ...head }, WITH_TRAILERS);
    stream.once('wantTrailers', () => stream.sendTrailers(trailers));
    stream.end(bytes);
  }
}
