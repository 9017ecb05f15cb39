import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listener {
  /** Where it is reached, such as `http://127.0.0.1:8080`. */
  url: string;
  /** No new connection; calls in flight are answered first, but not waited for longer than `patience` milliseconds. */
  stop(patience: number): Promise<void>;
}

/** A port that can't be had: one line for a person. */
export class ListenError extends Error {}

export async function listen(
  app: RequestListener,
  { host, port }: { host: string; port: number },
): Promise<Listener> {
  const server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ListenError(reason(error, host, port))),
    );
    server.listen(port, host, resolve);
  });
  const { port: actual } = server.address() as AddressInfo;
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return { url: `http://${shown}:${actual}`, stop: (patience) => stop(server, patience) };
}

async function stop(server: Server, patience: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const impatient = setTimeout(() => server.closeAllConnections(), patience);
  await closed;
  clearTimeout(impatient);
}

function reason({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE') return `port ${port} is taken on ${host}: choose another with --port`;
  if (code === 'EACCES')
    return `port ${port} needs more rights than this process has: choose another with --port`;
  return `can not listen on ${host}:${port}: ${message}`;
}
