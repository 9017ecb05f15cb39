import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import {
  Http2ServerResponse,
  type IncomingHttpHeaders as Http2Headers,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Readable, Writable } from 'node:stream';
import { announceTrailers, type RpcRequest, type RpcResponse } from './details.ts';

/** A call of plain gRPC, and the way back, in either of Node's APIs. */
export interface Carrier {
  readonly headers: IncomingHttpHeaders;
  /** What its message is read from. */
  readonly source: Readable;
  /** Closed when the call is over, in whatever way. */
  readonly sink: Writable;
  /** For what is more than to answer. */
  readonly response: RpcResponse;
  /** With no message where `bytes` is undefined. */
  answer(head: OutgoingHttpHeaders, bytes: Uint8Array | undefined, trailers: OutgoingHttpHeaders): void;
}

/** Over HTTP/1.1, and whatever is not known to be gRPC from the start. */
export class RequestCarrier implements Carrier {
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

/** A stream of HTTP/2 as it is: the request and the response that Node makes of one cost as much as a call's own work. */
export class StreamCarrier implements Carrier {
  readonly headers: Http2Headers;
  readonly source: ServerHttp2Stream;
  #response: Http2ServerResponse | undefined;

  constructor(stream: ServerHttp2Stream, headers: Http2Headers) {
    this.source = stream;
    this.headers = headers;
    stream.on('error', () => {}); // a caller that breaks off; the stream closes
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
    if (this.#response) return answerBy(this.#response, head, bytes, trailers); // it has trailers of its own
    stream.respond({ ':status': 200, ...head }, WITH_TRAILERS);
    stream.once('wantTrailers', () => stream.sendTrailers(trailers));
    stream.end(bytes);
  }
}
