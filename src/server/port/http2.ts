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
import { uptime } from '../../environment/clock.ts';
import type { ApiError } from '../../errors.ts';
import type { RpcServer } from '../grpc/details.ts';
import { isRpc } from '../rpc.ts';
import { checkAddress } from './request-address.ts';

/** Headers that mean one connection, which the two sides of an exchange do not share. */
const OF_A_CONNECTION =
  /^(:.*|connection|keep-alive|proxy-connection|te|transfer-encoding|upgrade|http2-settings)$/;

/** As Node has it: its types leave out the last one. */
type StreamEvent = [ServerHttp2Stream, Http2Headers, flags: number, rawHeaders: string[]];

/**
 * HTTP/2 for an application that speaks HTTP/1.1: each stream but those of RPCs is replayed as an exchange in memory. Express can't take
 * node:http2's requests: bodies without a length are lost, and an abort is not heard.
 */
export class Http2 {
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #server = createServer();
  /** Makes requests and responses of streams. */
  readonly #requests = createServer();

  constructor(http1: Server, rpc: RpcServer) {
    this.#server.on('stream', (...event: StreamEvent) => {
      const [stream, headers, , rawHeaders] = event;
      stream.on('error', () => {}); // a caller that leaves, however soon
      if (stream.destroyed) return;
      const flaw = checkAddress(headers, rawHeaders, isEncrypted(stream));
      if (flaw) return refuse(stream, flaw);
      rpc.takeStream(stream, headers, rawHeaders, () => void this.#requests.emit('stream', ...event));
    });
    this.#requests.on('request', (request, response) =>
      isRpc(request) ? rpc.listener(request, response) : replay(request, response, http1),
    );
    this.#server.on('sessionError', () => {}); // the session is closed by then, and its streams have failed
    this.#server.on('session', (session) => {
      limitResets(session);
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
    });
  }

  take(socket: Duplex): void {
    this.#server.emit('connection', socket);
  }

  /** Streams that are open are still answered; then their sessions end. */
  finish(): void {
    for (const session of this.#sessions) session.close();
  }
}

function refuse(stream: ServerHttp2Stream, error: ApiError): void {
  stream.respond({ ':status': error.status, 'content-type': 'application/json' });
  stream.end(JSON.stringify(error.body('envelope')));
  stream.resume();
}

const isEncrypted = ({ session }: ServerHttp2Stream) => session?.encrypted === true;

function replay(request: Http2ServerRequest, response: Http2ServerResponse, http1: Server): void {
  const { near, far } = createExchange(factsOf(request));
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

function factsOf({ socket }: Http2ServerRequest): Facts {
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
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_A_CONNECTION.test(name)));

/** The exchange broke off: so does the stream, whatever of the answer was sent. */
function fail({ stream }: Http2ServerResponse): void {
  if (!stream.destroyed) stream.close(INTERNAL_ERROR);
}

const INTERNAL_ERROR = 2;

/** What the application asks of a connection. */
export interface Facts {
  remoteAddress: string | undefined;
  remotePort: number | undefined;
  localPort: number | undefined;
  encrypted: boolean;
  /** What the caller speaks, where the exchange in memory has another. */
  httpVersion: string;
}

/**
 * A connection in memory: the caller's end of it, and the application's. Each hears when the other one breaks, which Node's own
 * pair does not tell; what was written before is still read.
 */
export function createExchange(facts: Facts): { near: Duplex; far: Duplex } {
  const [near, far] = duplexPair();
  far.once('close', () => {
    near.once('end', () => near.destroy());
    near.push(null);
  });
  near.once('close', () => far.destroy());
  const destroySoon = () => far.end(() => far.destroy());
  return { near, far: Object.assign(far, facts, { destroySoon }) };
}

/** Streams that a client may cancel at once, and how many a second after that. */
const BURST = 200;
const RATE = 50;

/** Streams end with the first when all is well, and with the second when a scenario breaks them off. */
const OURS: ReadonlySet<number> = new Set([0, 2]);
const ENHANCE_YOUR_CALM = 11;

/**
 * Ends a connection whose client opens streams only to cancel them (CVE-2023-44487). Node itself takes 1000 of them and
 * leaves the connection open; its options for this came with version 22.
 */
export function limitResets(session: ServerHttp2Session): void {
  let left = BURST;
  let since = uptime();
  const count = ({ rstCode }: ServerHttp2Stream) => {
    if (OURS.has(rstCode) || session.destroyed) return;
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
