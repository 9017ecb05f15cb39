import {
  createServer as createHttp1,
  type IncomingMessage,
  type Server as Http1,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Certificates } from '../certificates/certificates.ts';
import type { RpcServer } from '../grpc/wire.ts';
import type { Http2 } from './http2.ts';
import { refuse } from '../sending.ts';
import { unreadableTarget } from '../address.ts';
import { Turns } from './turns.ts';
import { sniff, type SocketHandler, type SocketHandlers } from './sniffer.ts';

export interface Application {
  /** Calls `next` for a request that it cannot read. */
  app: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  /** Answers RPCs over HTTP/2. RPCs over HTTP/1.1 pass through `app`. */
  rpc: RpcServer;
  certificates: Certificates;
}

/**
 * Milliseconds that an idle connection stays open. Many clients use Node's default of five seconds for their own pools,
 * so with the same value here a call would now and then hit a connection that is just being closed.
 */
const KEEP_ALIVE_TIMEOUT = 75_000;

/** Holds the open connections and hands each to the server for its protocol. These servers do not listen themselves. */
export class Connections {
  readonly #open = new Set<Socket>();
  readonly #unidentified = new Set<Duplex>();
  readonly #application: Application;
  readonly #silence: number;
  readonly #http1: Http1;
  readonly #turns = new Turns();
  readonly #answering = new Set<ServerResponse>();
  #http2: Promise<Http2> | undefined;
  #tls: Promise<{ take: (socket: Duplex) => void }> | undefined;
  readonly #handlers: SocketHandlers;
  #isDraining = false;
  #isFinishing = false;

  /** `silence`: how many milliseconds a connection may stay open without sending anything. */
  constructor(application: Application, silence: number) {
    this.#application = application;
    this.#silence = silence;
    this.#http1 = createHttp1((request, response) => {
      this.#follow(response);
      const { socket } = request;
      const start = () =>
        application.app(request, response, () => refuse(request, response, unreadableTarget(request)));
      // A stream of HTTP/2 had its turn before it became a request.
      if ('httpVersion' in socket) start();
      else this.#turns.take(socket, request, start);
    });
    this.#http1.keepAliveTimeout = KEEP_ALIVE_TIMEOUT;
    this.#http1.emit('listening'); // starts the timer that closes connections whose headers are late
    this.#handlers = {
      http1: this.#identified((socket) => void this.#http1.emit('connection', socket)),
      http2: this.#identified(async (socket) => (await this.#speakHttp2()).take(socket)),
      tls: this.#identified(async (socket) => (await this.#speakTls()).take(socket)),
    };
  }

  take(socket: Socket): void {
    this.#open.add(socket);
    this.#unidentified.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#unidentified.delete(socket);
    });
    sniff(socket, this.#handlers, this.#silence);
  }

  /**
   * From now on each HTTP/1.1 connection is closed after its next answer. A client that reads `connection: close` does
   * not send a call into a connection that is just being closed. HTTP/2 needs no such warning.
   */
  drain(): void {
    this.#isDraining = true;
    for (const response of this.#answering) response.shouldKeepAlive = false;
  }

  /** Closes idle connections at once, and the others when their calls are answered. */
  async finish(): Promise<void> {
    this.drain();
    this.#isFinishing = true;
    for (const socket of this.#unidentified) socket.destroy();
    this.#http1.close();
    this.#http1.closeIdleConnections();
    if (this.#http2) (await this.#http2).finish();
  }

  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** Otherwise a client that calls again and again would keep its connection, and lose it in the middle of a call. */
  #follow(response: ServerResponse): void {
    if (this.#isDraining) response.shouldKeepAlive = false;
    this.#answering.add(response);
    response.once('close', () => {
      this.#answering.delete(response);
      // The head of a stream was sent before, and says that the connection stays open.
      if (this.#isFinishing) setImmediate(() => this.#http1.closeIdleConnections());
    });
  }

  /** HTTP/2 and TLS are loaded for their first connection, because most processes never have one. */
  #speakHttp2(): Promise<Http2> {
    const { rpc } = this.#application;
    return (this.#http2 ??= import('./http2.ts').then(
      ({ Http2 }) => new Http2(this.#http1, rpc, this.#turns),
    ));
  }

  #speakTls() {
    const load = async () => {
      const { createTls } = await import('./tls.ts');
      return createTls(this.#application.certificates, this.#handlers, this.#silence);
    };
    return (this.#tls ??= load());
  }

  #identified(take: SocketHandler): SocketHandler {
    return (socket) => {
      this.#unidentified.delete(socket);
      return take(socket);
    };
  }
}
