import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { headersOfPart } from './headers.ts';
import { reasonOf } from './http1.ts';
import type { Passing } from './recorder.ts';

const { NGHTTP2_CANCEL, NGHTTP2_FLAG_END_STREAM } = constants;

/** gRPC's code for a service that cannot be reached. */
const UNAVAILABLE = '14';

/** Forwards RPCs over one connection of HTTP/2 to the service. */
export class Http2Streams {
  readonly #target: URL;
  #session: ClientHttp2Session | undefined;

  constructor(target: URL) {
    this.#target = target;
  }

  close(): void {
    this.#session?.destroy();
  }

  /** `added`: names and values alternate. */
  forward(
    stream: ServerHttp2Stream,
    { rawHeaders, added = [] }: { rawHeaders: readonly string[]; added?: readonly string[] },
    passing: Passing,
  ): void {
    passing.request(rawHeaders);
    try {
      const outer = this.#open().request(this.#headers([...rawHeaders, ...added]), { endStream: false });
      relayRequest(stream, outer, passing);
      relayResponse(stream, outer, passing);
    } catch (thrown) {
      refuse(stream, passing, thrown as Error);
    }
  }

  #open(): ClientHttp2Session {
    if (this.#session && !this.#session.closed && !this.#session.destroyed) return this.#session;
    const session = connect(this.#target.origin);
    const forget = () => {
      if (session === this.#session) this.#session = undefined;
    };
    session.on('goaway', forget).on('close', forget);
    session.on('error', () => {}); // its calls fail, too
    return (this.#session = session);
  }

  #headers(raw: readonly string[]): OutgoingHttpHeaders {
    const headers: Record<string, string | string[]> = {};
    const kept = headersOfPart(raw);
    for (let i = 0; i < kept.length; i += 2) add(headers, kept[i]!.toLowerCase(), kept[i + 1]!);
    const pseudo = (name: string) => raw[raw.indexOf(name) + 1]!;
    const te = raw.includes('te') && { te: 'trailers' };
    return {
      ':method': pseudo(':method'),
      ':path': pseudo(':path'),
      ':scheme': this.#target.protocol.slice(0, -1),
      ':authority': this.#target.host,
      ...headers,
      ...te,
    };
  }
}

/** Node sends one value of these alone. Python's SDK repeats its token, and the last one is its current one. */
const SINGLE = /^(authorization|content-type|user-agent|content-length|grpc-.*)$/;

function add(headers: Record<string, string | string[]>, name: string, value: string): void {
  const known = headers[name];
  headers[name] = known === undefined || SINGLE.test(name) ? value : [known, value].flat();
}

function relayRequest(stream: ServerHttp2Stream, outer: ClientHttp2Stream, passing: Passing): void {
  stream.on('data', passing.requestBody).pipe(outer);
  // Node ends a stream that its caller resets, so that it looks finished when it closes.
  stream.on('aborted', () => {
    passing.end('the caller has cancelled the call');
    outer.close(stream.rstCode || NGHTTP2_CANCEL);
  });
}

function relayResponse(stream: ServerHttp2Stream, outer: ClientHttp2Stream, passing: Passing): void {
  let trailers: string[] = [];
  outer.on('response', (headers, flags) => {
    if (stream.destroyed) return;
    passing.response(headers[':status'] ?? 200, rawOf(headers));
    const isWhole = (flags & NGHTTP2_FLAG_END_STREAM) !== 0;
    if (isWhole) {
      stream.respond(headers, { endStream: true });
      return passing.end();
    }
    stream.respond(headers, { waitForTrailers: true });
    stream.once('wantTrailers', () => {
      if (outer.rstCode === 0) stream.sendTrailers(trailersOf(trailers));
    });
    outer.on('data', passing.responseBody).pipe(stream, { end: false });
    outer.on('end', () => {
      if (outer.rstCode === 0) stream.end();
    });
  });
  outer.on('trailers', (headers) => (trailers = rawOf(headers)));
  let isRefused = false;
  outer.on('error', (error) => {
    isRefused = !stream.headersSent;
    if (isRefused) refuse(stream, passing, error);
    else breakOff(stream, passing, outer.rstCode);
  });
  outer.on('close', () => {
    if (outer.rstCode !== 0 && !isRefused) breakOff(stream, passing, outer.rstCode);
    else passing.end(undefined, trailers);
  });
}

/** Resets the call with INTERNAL_ERROR. Node's `close` would end it as if it were whole. */
function breakOff(stream: ServerHttp2Stream, passing: Passing, code: number): void {
  const reason = `the service has reset the call with the code ${code} of HTTP/2`;
  passing.end(reason);
  if (!stream.destroyed) stream.destroy(new Error(reason));
}

/** What Node sends itself is left out. */
const trailersOf = (raw: readonly string[]): OutgoingHttpHeaders => {
  const headers: Record<string, string | string[]> = {};
  for (let i = 0; i < raw.length; i += 2) add(headers, raw[i]!, raw[i + 1]!);
  return headers;
};

/** Names and values alternate. */
const rawOf = (headers: IncomingHttpHeaders): string[] =>
  Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(':') ? [] : [value ?? ''].flat().flatMap((each) => [name, each]),
  );

function refuse(stream: ServerHttp2Stream, passing: Passing, error: Error): void {
  const reason = reasonOf(error);
  const message = encodeURIComponent(`understudy record: ${reason}`);
  const headers = ['content-type', 'application/grpc', 'grpc-status', UNAVAILABLE, 'grpc-message', message];
  passing.response(200, headers);
  passing.end(reason);
  if (stream.destroyed) return;
  stream.respond({ ':status': 200, ...trailersOf(headers) }, { endStream: true });
  stream.resume();
}
