import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { call2, dial, dialHttp2, openPort } from '../support/port.ts';

const MANY = 200;
const PATH = '/api/v1/organizations';
const BODY = '{"display_name":"Acme"}';
const JSON_BODY = { 'content-type': 'application/json' };

const post = (length: number) =>
  [
    `POST ${PATH} HTTP/1.1`,
    'host: localhost',
    'content-type: application/json',
    `content-length: ${length}`,
    '',
    BODY,
  ].join('\r\n');

/** How many calls the journal has so far. */
async function callsSoFar(session: ClientHttp2Session): Promise<number> {
  const head = { ':method': 'POST', ':path': '/_control/v1/requests/verify', ...JSON_BODY };
  const { text } = await call2(session, head, JSON.stringify({ match: { path: PATH }, at_least: 0 }));
  return (JSON.parse(text) as { count: number }).count;
}

async function open() {
  const { port, url } = await openPort();
  const [busy, other, { socket }] = [dialHttp2(url), dialHttp2(url), dial(port)];
  await Promise.all([busy, other, socket].map((each) => once(each, 'connect')));
  await callsSoFar(other); // loads what serves it
  return { busy, other, socket };
}

describe('many requests that arrive at once over one connection', () => {
  it('do not keep another connection waiting', async () => {
    const { other, socket } = await open();
    socket.write(post(BODY.length).repeat(MANY));

    expect(await callsSoFar(other)).toBeLessThan(MANY);
  });

  it('are all served', async () => {
    const { busy, other } = await open();
    const head = { ':method': 'POST', ':path': PATH, ...JSON_BODY };
    const all = await Promise.all(Array.from({ length: MANY }, () => call2(busy, head, BODY)));

    expect(all).toHaveLength(MANY);
    expect(await callsSoFar(other)).toBe(MANY);
  });

  it('are not served after the connection has closed: HTTP/1.1', async () => {
    const { other, socket } = await open();
    socket.write(post(BODY.length).repeat(MANY), () => socket.destroy());
    await once(socket, 'close');
    const atClose = await callsSoFar(other);

    expect(atClose).toBeLessThan(MANY);
    expect(await callsSoFar(other)).toBe(atClose);
  });

  it('are not served after the connection has closed: HTTP/2', async () => {
    const { busy, other } = await open();
    const streams = Array.from({ length: MANY }, () => busy.request({ ':path': PATH }).on('error', () => {}));
    await once(streams[0]!, 'response');
    busy.destroy();
    const atClose = await callsSoFar(other);

    expect(atClose).toBeLessThan(MANY);
    expect(await callsSoFar(other)).toBe(atClose);
  });
});

describe('a body that is sent only in part', () => {
  it('is no call when the connection closes', async () => {
    const { other, socket } = await open();
    socket.write(post(1000), () => socket.destroy());
    await once(socket, 'close');
    await callsSoFar(other);

    expect(await callsSoFar(other)).toBe(0);
  });
});
