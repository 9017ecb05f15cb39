import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { call2, dialHttp2, openPort } from '../support/port.ts';

const HEALTH = { ':path': '/_control/v1/health' };
const CANCEL = 8;
const ENHANCE_YOUR_CALM = 11;

/** Opens so many streams that wait for their bodies, and cancels them. Resolves to whether the connection still answers. */
async function cancel(session: ClientHttp2Session, times: number): Promise<boolean> {
  for (let i = 0; i < times; i += 1) {
    const stream = session.request({ ':method': 'POST', ':path': '/api/v1/organizations' });
    stream.on('error', () => {}).close(CANCEL);
  }
  const closed = once(session, 'close').then(() => false);
  const answered = call2(session, HEALTH).then(
    () => true,
    () => false,
  );
  return Promise.race([closed, answered]);
}

describe('a client of HTTP/2 that cancels streams', () => {
  it('loses its connection when it opens many only to cancel them', async () => {
    const { url } = await openPort();
    const session = dialHttp2(url);
    const goaway = once(session, 'goaway');
    await once(session, 'connect'); // Node's own client never comes back from streams that it cancels earlier

    let isOpen = true;
    for (let round = 0; round < 30 && isOpen; round += 1) isOpen = await cancel(session, 50);

    expect((await goaway)[0]).toBe(ENHANCE_YOUR_CALM);
    expect((await call2(dialHttp2(url), HEALTH)).status).toBe(200);
  });

  it('keeps it when they are some', async () => {
    const session = dialHttp2((await openPort()).url);
    await once(session, 'connect');
    expect(await cancel(session, 100)).toBe(true);
  });
});
