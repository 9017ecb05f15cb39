import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Agent } from '../support/boot.ts';

export const NOW = '2030-01-01T00:00:00.000Z';
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: Record<string, unknown>;
}

type Answer = (response: ServerResponse, received: Received) => void;

/** A webhook receiver on a free port. */
export async function receiver(answer: Answer = (response) => response.end()) {
  const received: Received[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, text, body: JSON.parse(text) };
      received.push(one);
      answer(response, one);
      for (const look of waiting.splice(0)) look();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  /** Resolves when `count` requests have been received. */
  const came = async (count: number): Promise<Received[]> => {
    while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    return received;
  };
  const { port } = server.address() as AddressInfo;
  return { received, came, port, url: `http://127.0.0.1:${port}/hooks` };
}

export interface Delivery {
  id: string;
  event_id: string;
  event_type: string;
  status: string;
  next_attempt_at?: string;
  attempts: {
    time: string;
    status?: number;
    error?: string;
    answer?: string;
    headers?: Record<string, string>;
  }[];
}

/** Inserts a webhook endpoint with this URL; without a URL, an inbox. */
export async function listen(control: Agent, url: string | undefined, more: object = {}, id = 'ep_1') {
  const endpoint = {
    ...(url === undefined ? { kind: 'inbox' } : { kind: 'http', url }),
    secret: SECRET,
    enabled: true,
    max_in_flight: 1,
    created_at: NOW,
    updated_at: NOW,
    ...more,
  };
  await control.put(`/state/webhook_endpoints/${id}`).send(endpoint).expect(200);
}

export const deliveries = async (control: Agent): Promise<Delivery[]> =>
  (await control.get('/state/webhook_deliveries').expect(200)).body.rows;

/** Reads the deliveries until `isRight` accepts them. */
export async function eventually(
  control: Agent,
  isRight: (deliveries: readonly Delivery[]) => boolean,
): Promise<Delivery[]> {
  for (;;) {
    const found = await deliveries(control);
    if (isRight(found)) return found;
  }
}

export const all =
  (status: string, count = 1) =>
  (found: readonly Delivery[]) =>
    found.length === count && found.every((each) => each.status === status);

export const organization = (api: Agent, display_name: string) =>
  api.post('/api/v1/organizations').send({ display_name }).expect(201);
