import {
  createServer as createHttp1,
  type IncomingMessage,
  type Server as Http1,
  type ServerResponse,
} from 'node:http';
import { type Socket, createServer, type AddressInfo, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Certificates } from '../certificates/certificates.ts';
import type { RpcServer } from '../grpc/wire.ts';
import type { Http2 } from './http2.ts';
import { afterRunning } from '../../state/running-time.ts';
import { refuse } from '../sending.ts';
import { unreadableTarget, canonicalHost } from '../address.ts';
import { Turns } from './turns.ts';
import { createTls, sniff, type SocketHandler, type SocketHandlers } from './sniffer.ts';

interface Application {
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
class Connections {
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
    this.#application.rpc.drain?.();
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

  /** HTTP/2 is loaded for its first connection, because most processes never have one. */
  #speakHttp2(): Promise<Http2> {
    const { rpc } = this.#application;
    return (this.#http2 ??= import('./http2.ts').then(
      ({ Http2 }) => new Http2(this.#http1, rpc, this.#turns),
    ));
  }

  #speakTls() {
    return (this.#tls ??= createTls(this.#application.certificates, this.#handlers, this.#silence));
  }

  #identified(take: SocketHandler): SocketHandler {
    return (socket) => {
      this.#unidentified.delete(socket);
      return take(socket);
    };
  }
}

export interface Listener {
  /** The address of the port, such as `http://127.0.0.1:8080`. */
  url: string;
  /**
   * Serves on for this many milliseconds and asks clients to use other connections, then accepts no new ones. After that,
   * hardly any client is about to send a call.
   */
  drain(milliseconds: number): Promise<void>;
  /** Accepts no new connections and answers calls in flight, but waits at most `timeout` milliseconds for them. */
  stop(timeout: number): Promise<void>;
}

/** The port cannot be used. The message is one line for a person. */
export class ListenError extends Error {}

/** Milliseconds that a new connection may stay silent. */
const SILENCE = 10_000;

/** Milliseconds in which calls may come over connections that were accepted last. */
const LAST_CALLS = 200;

/** Opens one port for HTTP/1.1, HTTP/2 with prior knowledge, and TLS with either inside. */
export async function listen(
  application: Application,
  { host, port, silence = SILENCE }: { host: string; port: number; silence?: number },
): Promise<Listener> {
  const connections = new Connections(application, silence);
  const server = createServer({ noDelay: true }, (socket) => connections.take(socket));
  await bind(server, host, port);
  const { port: actual } = server.address() as AddressInfo;
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${canonicalHost(`${shown}:${actual}`, 'http')}`,
    drain: (milliseconds) => drain(server, connections, milliseconds),
    stop: (timeout) => stop(server, connections, timeout),
  };
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ListenError(reason(error, host, port))),
    );
    server.listen(port, host, resolve);
  });
}

const running = (milliseconds: number) =>
  new Promise<void>((resolve) => void afterRunning(milliseconds, resolve));

async function drain(server: Server, connections: Connections, milliseconds: number): Promise<void> {
  connections.drain();
  // The event loop then has accepted the connections that were waiting; the system would reset them.
  await running(milliseconds);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await Promise.race([closed, running(LAST_CALLS)]);
}

async function stop(server: Server, connections: Connections, timeout: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  void connections.finish();
  const prevent = afterRunning(timeout, () => connections.destroy());
  await closed;
  prevent();
}

function reason({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `port ${port} is taken on ${host}: choose another with --port`;
  if (code === 'EACCES')
    return `port ${port} needs more rights than this process has: choose another with --port`;
  return `cannot listen on ${host}:${port}: ${message}`;
}
