import { createServer as createHttp1, type RequestListener, type Server as Http1 } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RpcListener } from '../../grpc/details.ts';
import { isRpc } from '../rpc.ts';
import type { Http2 } from './http2.ts';
import { sniff, type Taker, type Takers } from './sniffer.ts';

export interface Listener {
  /** Where it is reached, such as `http://127.0.0.1:8080`. */
  url: string;
  /** No new connection; calls in flight are answered first, but not waited for longer than `patience` milliseconds. */
  stop(patience: number): Promise<void>;
}

/** A port that can't be had: one line for a person. */
export class ListenError extends Error {}

/** Milliseconds that a connection has to say what it speaks. */
const SILENCE = 10_000;

/** What answers: RPCs are told apart whatever carries them. */
export interface Application {
  app: RequestListener;
  rpc: RpcListener;
}

/** One port for HTTP/1.1 and for HTTP/2 with prior knowledge. */
export async function listen(
  application: Application,
  { host, port, silence = SILENCE }: { host: string; port: number; silence?: number },
): Promise<Listener> {
  const connections = new Connections(application);
  const server = createServer({ noDelay: true }, (socket) => connections.take(socket, silence));
  await bind(server, host, port);
  const { port: actual } = server.address() as AddressInfo;
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return { url: `http://${shown}:${actual}`, stop: (patience) => stop(server, connections, patience) };
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ListenError(reason(error, host, port))),
    );
    server.listen(port, host, resolve);
  });
}

/** Every open connection, and the servers, which listen nowhere themselves, that speak with them. */
class Connections {
  readonly #open = new Set<Socket>();
  readonly #silent = new Set<Duplex>();
  readonly #http1: Http1;
  readonly #rpc: RpcListener;
  #http2: Promise<Http2> | undefined;
  readonly #takers: Takers;

  constructor({ app, rpc }: Application) {
    this.#rpc = rpc;
    this.#http1 = createHttp1((request, response) =>
      isRpc(request) ? rpc(request, response) : app(request, response),
    );
    this.#http1.emit('listening'); // only then does it close connections that are slow with their headers
    this.#takers = {
      http1: this.#heard((socket) => void this.#http1.emit('connection', socket)),
      http2: this.#heard(async (socket) => (await this.#speakHttp2()).take(socket)),
    };
  }

  take(socket: Socket, silence: number): void {
    this.#open.add(socket);
    this.#silent.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#silent.delete(socket);
    });
    sniff(socket, this.#takers, silence);
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

  /** Loaded for its first connection: most processes never have one. */
  #speakHttp2(): Promise<Http2> {
    return (this.#http2 ??= import('./http2.ts').then(({ Http2 }) => new Http2(this.#http1, this.#rpc)));
  }

  #heard(take: Taker): Taker {
    return (socket) => {
      this.#silent.delete(socket);
      return take(socket);
    };
  }
}

async function stop(server: Server, connections: Connections, patience: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  void connections.finish();
  const impatient = setTimeout(() => connections.destroy(), patience);
  await closed;
  clearTimeout(impatient);
}

function reason({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `port ${port} is taken on ${host}: choose another with --port`;
  if (code === 'EACCES')
    return `port ${port} needs more rights than this process has: choose another with --port`;
  return `can not listen on ${host}:${port}: ${message}`;
}
