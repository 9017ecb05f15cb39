import {
  request as sendRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
} from 'node:http';
import {
  createServer,
  type IncomingHttpHeaders as Http2Headers,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { duplexPair, type Duplex } from 'node:stream';
import { uptime } from '../../state/clock.ts';
import type { ApiError } from '../../contract/errors.ts';
import type { RpcServer } from '../grpc/wire.ts';
import { isRpc } from '../request.ts';
import { checkAddress } from '../address.ts';
import type { Turns } from './turns.ts';

/** Node takes 2000 headers over HTTP/1.1, too. It resets an HTTP/2 stream that has more, and gRPC clients report a lost call. */
const MOST_HEADERS = 2000;

/** Headers that concern a single connection and are therefore not passed on. */
const HOP_BY_HOP =
  /^(:.*|connection|keep-alive|proxy-connection|te|transfer-encoding|upgrade|http2-settings)$/;

/** The arguments of Node's `stream` event. Node's types leave out the last one. */
type StreamEvent = [ServerHttp2Stream, Http2Headers, flags: number, rawHeaders: string[]];

/**
 * HTTP/2 for an application that speaks HTTP/1.1: each stream that is not an RPC is replayed as an HTTP/1.1 exchange in
 * memory. Express cannot take requests of node:http2: it loses bodies without a length and does not notice aborts.
 */
export class Http2 {
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #server = createServer({ maxHeaderListPairs: MOST_HEADERS });
  /** Turns streams into requests and responses. */
  readonly #requests = createServer();

  constructor(http1: Server, rpc: RpcServer, turns: Turns) {
    this.#server.on('stream', (...event: StreamEvent) => {
      const [stream, headers, , rawHeaders] = event;
      stream.on('error', () => {}); // the caller may disconnect at any time
      if (stream.destroyed) return;
      const flaw = checkAddress(headers, rawHeaders, isEncrypted(stream));
      if (flaw) return refuse(stream, flaw);
      const ordinary = () => void this.#requests.emit('stream', ...event);
      turns.take(stream.session!, stream, () => rpc.handleStream(stream, headers, rawHeaders, ordinary));
    });
    this.#requests.on('request', (request, response) =>
      isRpc(request) ? rpc.listener(request, response) : replay(request, response, http1),
    );
    this.#server.on('sessionError', () => {}); // the session is closed by then and its streams have failed
    this.#server.on('session', (session) => {
      limitResets(session);
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
    });
  }

  take(socket: Duplex): void {
    this.#server.emit('connection', socket);
  }

  /** Answers the open streams, then ends the sessions. */
  finish(): void {
    for (const session of this.#sessions) session.close();
  }
}

function refuse(stream: ServerHttp2Stream, error: ApiError): void {
  stream.respond({ ':status': error.status, 'content-type': 'application/json' });
  stream.end(JSON.stringify(error.envelope()));
  stream.resume();
}

const isEncrypted = ({ session }: ServerHttp2Stream) => session?.encrypted === true;

function replay(request: Http2ServerRequest, response: Http2ServerResponse, http1: Server): void {
  const { near, far } = createExchange(connectionInfoOf(request));
  http1.emit('connection', far);
  const inner = sendRequest({
    createConnection: () => near as never,
    method: request.method,
    path: request.url,
    headers: headersOf(request),
    setHost: false,
  });
  inner.on('response', (answer) => relay(answer, response));
  inner.on('error', () => fail(response));
  inner.on('close', () => near.destroy());
  response.on('close', () => inner.destroy());
  request.pipe(inner);
}

function connectionInfoOf({ socket }: Http2ServerRequest): ConnectionInfo {
  const { remoteAddress, remotePort, localPort } = socket;
  return { remoteAddress, remotePort, localPort, encrypted: 'encrypted' in socket, httpVersion: '2' };
}

function headersOf({ headers, authority, stream }: Http2ServerRequest): IncomingHttpHeaders {
  const framed = stream.endAfterHeaders || headers['content-length'] !== undefined;
  return {
    ...inner(headers),
    host: authority || headers.host,
    ...(!framed && { 'transfer-encoding': 'chunked' }),
  };
}

function relay(answer: IncomingMessage, response: Http2ServerResponse): void {
  if (response.stream.destroyed) return;
  response.writeHead(answer.statusCode ?? 500, inner(answer.headers));
  answer.on('aborted', () => fail(response));
  answer.pipe(response);
}

const inner = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.test(name)));

/** Breaks the stream off when its exchange breaks off, however much of the answer was sent. */
function fail({ stream }: Http2ServerResponse): void {
  if (!stream.destroyed) stream.close(INTERNAL_ERROR);
}

const INTERNAL_ERROR = 2;

/** The properties of a socket that the application reads. */
interface ConnectionInfo {
  remoteAddress: string | undefined;
  remotePort: number | undefined;
  localPort: number | undefined;
  encrypted: boolean;
  /** The caller's version of HTTP; the exchange in memory always uses 1.1. */
  httpVersion: string;
}

/**
 * A connection in memory with two ends: `near` for the caller, `far` for the application. Each end notices when the
 * other breaks, unlike those of Node's `duplexPair`. What was written before can still be read.
 */
function createExchange(facts: ConnectionInfo): { near: Duplex; far: Duplex } {
  const [near, far] = duplexPair();
  far.once('close', () => {
    near.once('end', () => near.destroy());
    near.push(null);
  });
  near.once('close', () => far.destroy());
  const destroySoon = () => far.end(() => far.destroy());
  return { near, far: Object.assign(far, facts, { destroySoon }) };
}

/** How many streams a client may cancel at once, and how many per second after that. */
const BURST = 200;
const RATE = 50;

/** Reset codes that the server causes: 0 at a normal end, 2 when a scenario breaks a stream off. */
const SERVER_RESET_CODES: ReadonlySet<number> = new Set([0, 2]);
const ENHANCE_YOUR_CALM = 11;

/**
 * Ends a connection whose client opens streams only to cancel them (CVE-2023-44487). Node tolerates 1000 of them and
 * leaves the connection open; its options against this attack came with version 22.
 */
function limitResets(session: ServerHttp2Session): void {
  let left = BURST;
  let since = uptime();
  const count = ({ rstCode }: ServerHttp2Stream) => {
    if (SERVER_RESET_CODES.has(rstCode) || session.destroyed) return;
    const now = uptime();
    left = Math.min(BURST, left + ((now - since) / 1000) * RATE) - 1;
    since = now;
    if (left < 0) session.destroy(new Error('too many cancelled streams'), ENHANCE_YOUR_CALM);
  };
  session.on('stream', (stream) => {
    if (stream.destroyed) count(stream);
    else stream.once('close', () => count(stream));
  });
}
