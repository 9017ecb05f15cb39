import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** One request that the test's own server received. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  /** The parsed body when it is JSON. */
  body: Record<string, unknown>;
}

/** How the server responds: with JSON, or by a function that writes the response. */
export type Answer = object | ((response: ServerResponse, received: Received) => unknown);

export interface Receiver {
  url: string;
  received: Received[];
  /** Sets the response of the requests that follow. */
  answers(answer: Answer): void;
  /** Resolves when `count` requests have been received. */
  came(count: number): Promise<void>;
}

/** A server on this machine that records the requests it receives. It closes after the test. */
export async function receiver(answer: Answer = { decision: 'ALLOW' }): Promise<Receiver> {
  let now = answer;
  const received: Received[] = [];
  const server = createServer((request, response) => void take(request, response));
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const one = await read(request);
    received.push(one);
    server.emit('received');
    if (typeof now === 'function')
      (now as (response: ServerResponse, received: Received) => unknown)(response, one);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(now));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/asked`,
    received,
    answers: (next) => void (now = next),
    came: async (count) => {
      while (received.length < count) await once(server, 'received');
    },
  };
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const { method = '', url: path = '', headers } = request;
  const isJson = headers['content-type'] === 'application/json';
  return { method, path, headers, text, body: isJson ? (JSON.parse(text) as Received['body']) : {} };
}
