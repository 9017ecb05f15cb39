import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';

const servers = new WeakMap<RequestListener, Server>();

/**
 * Lets `serverOf` return one server for all calls of this app. supertest would open a port for each call, which takes
 * longer than most calls do. Returns what ends the server.
 */
export async function listen(app: RequestListener): Promise<() => void> {
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.set(app, server);
  return () => {
    servers.delete(app);
    server.close();
    server.closeAllConnections();
  };
}

/** What supertest calls: the server of this app, if it has one. */
export const serverOf = (app: RequestListener): RequestListener | Server => servers.get(app) ?? app;

/** The address of an application that listens. */
export const addressOf = (app: RequestListener): string =>
  `http://127.0.0.1:${((serverOf(app) as Server).address() as AddressInfo).port}`;
