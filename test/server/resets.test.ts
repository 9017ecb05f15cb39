import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { call2, dialHttp2, openPort } from '../support/port.ts';

const HEALTH = { ':path': '/_control/v1/health' };
const CANCEL = 8;
const ENHANCE_YOUR_CALM = 11;

async function connected(url: string): Promise<ClientHttp2Session> {
  const session = dialHttp2(url);
  await once(session, 'connect'); // Node's own client never recovers from streams that it cancels before the connection is established
  return session;
}

/** Opens and cancels streams that wait for their bodies, 50 in each turn of the event loop. */
async function cancel(session: ClientHttp2Session, turns: number): Promise<void> {
  for (let turn = 0; turn < turns && !session.closed && !session.destroyed; turn += 1) {
    for (let i = 0; i < 50; i += 1)
      session
        .request({ ':method': 'POST', ':path': '/api/v1/organizations' })
        .on('error', () => {})
        .close(CANCEL);
    await nextTurn();
  }
}

describe('an HTTP/2 client that cancels streams', () => {
  it('loses its connection when it opens and cancels very many', async () => {
    const { url } = await openPort();
    const session = await connected(url);
    const goaway = once(session, 'goaway');

    await cancel(session, 40);

    expect((await goaway)[0]).toBe(ENHANCE_YOUR_CALM);
    expect((await call2(await connected(url), HEALTH)).status).toBe(200);
  });

  it('keeps its connection when it cancels some', async () => {
    const session = await connected((await openPort()).url);
    await cancel(session, 2);
    expect((await call2(session, HEALTH)).status).toBe(200);
  });
});
