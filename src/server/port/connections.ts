import {
  createServer as createHttp1,
  type IncomingMessage,
  type Server as Http1,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Certificates } from '../certificates/certificates.ts';
import type { RpcServer } from '../grpc/details.ts';
import type { Http2 } from './http2.ts';
import { refuse } from '../sending.ts';
import { noTarget } from './request-address.ts';
import { sniff, type Taker, type Takers } from './sniffer.ts';

export interface Application {
  /** Calls `next` for a request that it can not read. */
  app: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  /** Answers RPCs over HTTP/2; those over HTTP/1.1 come to it through the app. */
  rpc: RpcServer;
  certificates: Certificates;
}

/**
 * Milliseconds that a connection stays open unused. Node's five seconds are what many clients keep theirs: a call would
 * now and then meet one that is just being closed.
 */
const KEPT_ALIVE = 75_000;

/** Every open connection, and the servers, which listen nowhere themselves, that speak with them. */
export class Connections {
  readonly #open = new Set<Socket>();
  readonly #silent = new Set<Duplex>();
  readonly #application: Application;
  readonly #silence: number;
  readonly #http1: Http1;
  #http2: Promise<Http2> | undefined;
  #tls: Promise<{ take: (socket: Duplex) => void }> | undefined;
  readonly #takers: Takers;

  /** `silence`: milliseconds that a connection has to say what it speaks. */
  constructor(application: Application, silence: number) {
    this.#application = application;
    this.#silence = silence;
    this.#http1 = createHttp1((request, response) =>
      application.app(request, response, () => refuse(request, response, noTarget(request))),
    );
    this.#http1.keepAliveTimeout = KEPT_ALIVE;
    this.#http1.emit('listening'); // only then does it close connections that are slow with their headers
    this.#takers = {
      http1: this.#heard((socket) => void this.#http1.emit('connection', socket)),
      http2: this.#heard(async (socket) => (await this.#speakHttp2()).take(socket)),
      tls: this.#heard(async (socket) => (await this.#speakTls()).take(socket)),
    };
  }

  take(socket: Socket): void {
    this.#open.add(socket);
    this.#silent.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#silent.delete(socket);
    });
    sniff(socket, this.#takers, this.#silence);
  }

  /** Those that nobody waits on go at once; the others when they have been answered. */
  async finish(): Promise<void> {
    for (const socket of this.#silent) socket.destroy();
    this.#http1.close();
    this.#http1.closeIdleConnections();
    if (this.#http2) (await this.#http2).finish();
  }

  destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** Loaded for its first connection, as TLS is: most processes never have one. */
  #speakHttp2(): Promise<Http2> {
    const { rpc } = this.#application;
    return (this.#http2 ??= import('./http2.ts').then(({ Http2 }) => new Http2(this.#http1, rpc)));
  }

  #speakTls() {
    const load = async () => {
      const { createTls } = await import('./tls.ts');
      return createTls(this.#application.certificates, this.#takers, this.#silence);
    };
    return (this.#tls ??= load());
  }

  #heard(take: Taker): Taker {
    return (socket) => {
      this.#silent.delete(socket);
      return take(socket);
    };
  }
}
