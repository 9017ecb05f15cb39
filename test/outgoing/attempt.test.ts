import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { attempt, isDelivered } from '../../src/outgoing/attempt.ts';
import { Keys } from '../../src/world/keys.ts';

async function addressOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const callOf = (url: string) => ({
  id: 'out_1',
  kind: 'back_channel_logout' as const,
  url,
  content: {},
  status: 'PENDING' as const,
  attempts: [],
  created_at: '2030-01-01T00:00:00.000Z',
});

it.each([
  ['never answers', () => undefined],
  ['never ends its answer', (_, response) => void response.writeHead(200).write('.')],
] as [string, RequestListener][])('a call is given up where the receiver %s', async (_, listener) => {
  const url = await addressOf(listener);

  const stopping = new AbortController().signal;
  const outcome = await attempt(callOf(url), { keys: new Keys(), patience: 50, stopping });

  expect(outcome).toEqual({ duration_ms: expect.any(Number), error: 'no answer within 0.05 s' });
  expect(isDelivered(outcome)).toBe(false);
});

it('a call says why nobody could be reached', async () => {
  const stopping = new AbortController().signal;
  const call = callOf('http://127.0.0.1:1/logout');

  const outcome = await attempt(call, { keys: new Keys(), patience: 5000, stopping });

  expect(outcome.error).toContain('ECONNREFUSED');
});
