import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { AllowedHosts } from '../../src/webhooks/allowed-hosts.ts';
import { attempt } from '../../src/webhooks/http-client.ts';

async function addressOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const messageTo = (url: string) => ({ url, headers: {}, body: '{}' });
const options = { allowed: new AllowedHosts(), stopping: new AbortController().signal };

it.each([
  ['never responds', () => undefined],
  ['never ends its response', (_, response) => void response.writeHead(200).write('.')],
  [
    'never ends a response without a length',
    (_, { socket }) => void socket!.write('HTTP/1.1 200 OK\r\n\r\n.'),
  ],
] as [string, RequestListener][])('an attempt times out when the receiver %s', async (_, listener) => {
  const url = await addressOf(listener);

  const outcome = await attempt(messageTo(url), { ...options, timeout: 50 });

  const expected = { duration_ms: expect.any(Number), error: 'no answer within 0.05 s' };
  expect(outcome).toEqual({ result: 'failed', attempts: [expected] });
});

it('an attempt records why the receiver could not be reached', async () => {
  const message = messageTo('http://127.0.0.1:1/logout');

  const { attempts } = await attempt(message, { ...options, timeout: 60_000 });

  expect(attempts[0]!.error).toContain('ECONNREFUSED');
});
