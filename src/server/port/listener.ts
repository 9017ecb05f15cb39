import { createServer, type AddressInfo, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { canonicalHost } from '../address.ts';
import { Connections, type Application } from './connections.ts';

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

async function drain(server: Server, connections: Connections, milliseconds: number): Promise<void> {
  connections.drain();
  await delay(milliseconds);
  // The event loop has just accepted the connections that were waiting; the system would reset them.
  await new Promise((resolve) => setImmediate(resolve));
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await Promise.race([closed, delay(LAST_CALLS)]);
}

async function stop(server: Server, connections: Connections, timeout: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  void connections.finish();
  const impatient = setTimeout(() => connections.destroy(), timeout);
  await closed;
  clearTimeout(impatient);
}

function reason({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `port ${port} is taken on ${host}: choose another with --port`;
  if (code === 'EACCES')
    return `port ${port} needs more rights than this process has: choose another with --port`;
  return `cannot listen on ${host}:${port}: ${message}`;
}
