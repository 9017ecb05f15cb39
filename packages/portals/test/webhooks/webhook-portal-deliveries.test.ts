import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { eventually, receiver } from '../../../../test/webhooks/support.ts';
import { boot, type Booted } from '../../../../test/support/boot.ts';
import {
  DELIVERY,
  ENDPOINT,
  openWebhookPortal,
  placeDelivery,
} from '../../../../test/support/webhook-portal.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const PAGE = `/ui/webhooks/deliveries/${DELIVERY}`;
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const settled = ({ understudy }: Booted) =>
  understudy.controls.simulator.environments.get('default').settled();

/** The texts of the code blocks of a page. */
const blocksOf = (text: string) =>
  [...text.matchAll(/<pre[^>]*>([^<]*)<\/pre>/g)].map(([, block = '']) =>
    block.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&'),
  );

async function opened(endpoint: object = {}, delivery: object = {}) {
  const booted = await boot({ now: NOW });
  await placeDelivery(booted.control, endpoint, delivery);
  return { booted, ...booted, ...(await openWebhookPortal(booted)) };
}

describe('a test event in the webhook portal', () => {
  it('is delivered to endpoints that receive its type, and the page shows the signed payload', async () => {
    const { booted, browser, overview } = await opened();

    const sent = await overview.submit({ event_type: 'user.logout' }, 'test-events');
    await settled(booted);
    const list = await browser.open('/ui/webhooks');
    const [, path = ''] = /href="(\/ui\/webhooks\/deliveries\/[^"]*)">user\.logout/.exec(list.text) ?? [];
    const page = await browser.open(path);

    expect(sent.text).toContain('user.logout is sent to one endpoint.');
    expect(page.text).toContain('Delivered');
    const [headers = '', readable = '', signed = ''] = blocksOf(page.text);
    const lines = headers.split('\n').map((line) => line.split(': '));
    expect(JSON.parse(readable)).toMatchObject({ type: 'user.logout', occurred_at: NOW });
    expect(new Webhook(SECRET).verify(signed, Object.fromEntries(lines))).toEqual(JSON.parse(readable));
  });

  it('is stored even when no endpoint receives it, and the page says so', async () => {
    const { control, overview } = await opened({ event_types: ['role.*'] });

    const sent = await overview.submit({ event_type: 'user.logout' }, 'test-events');

    expect(sent.text).toContain('user.logout was emitted. No endpoint receives it.');
    expect((await control.get('/state/events').expect(200)).body.rows.at(-1)).toMatchObject({
      type: 'user.logout',
    });
  });

  it('is refused for an unknown type', async () => {
    const { control, overview } = await opened();
    const before = (await control.get('/state/events').expect(200)).body;

    const refused = await overview.submit({ event_type: 'user.exploded' }, 'test-events');

    expect(refused.status).toBe(400);
    expect(refused.text).toContain('Event type user.exploded is not known.');
    expect((await control.get('/state/events').expect(200)).body).toEqual(before);
  });
});

describe('a delivery in the webhook portal', () => {
  it('shows the result of each attempt', async () => {
    const attempts = [
      { time: NOW, duration_ms: 12, status: 503, answer: '<b>busy</b>' },
      { time: '2030-01-01T00:00:05.000Z', duration_ms: 10_000, error: 'no answer within 10 s' },
    ];
    const status = { status: 'RETRYING', next_attempt_at: '2030-01-01T00:00:35.000Z' };
    const { browser } = await opened({}, { ...status, attempts });

    const { text } = await browser.open(PAGE);

    expect(text).toContain('Waiting for a retry');
    expect(text).toContain('Tue, 01 Jan 2030 00:00:35 UTC');
    expect(text).toMatch(/Tue, 01 Jan 2030 00:00:00 UTC[^]*503[^]*12 ms/);
    expect(text).toMatch(/Tue, 01 Jan 2030 00:00:05 UTC[^]*No answer[^]*10000 ms/);
    expect(text).toContain('no answer within 10 s');
    expect(blocksOf(text)).toContain('<b>busy</b>'.replaceAll('>', '&gt;'));
    expect(text).toContain('The event and its payload are no longer stored');
  });

  it('can be sent again with the same id', async () => {
    let status = 500;
    const { url, came } = await receiver((response) => response.writeHead(status).end('well'));
    const { control, browser, overview } = await opened({ kind: 'http', url });
    await overview.submit({ event_type: 'user.logout' }, 'test-events');
    const failed = await eventually(control, (all) => all.at(-1)!.attempts.length === 1);
    const { id } = failed.at(-1)!;
    status = 204;

    const page = await browser.open(`/ui/webhooks/deliveries/${id}`);
    const again = await page.submit({}, 'redeliver');
    await came(2);
    await eventually(control, (all) => all.at(-1)!.status === 'SUCCESS');

    expect(page.text).toContain('Waiting for a retry');
    expect(again.text).toContain('The delivery is queued again.');
    expect((await came(2)).map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
    expect((await browser.open(`/ui/webhooks/deliveries/${id}`)).text).toMatch(/204[^]*500/);
  });

  it('cannot be sent again to a disabled endpoint', async () => {
    const { control, browser } = await opened({ enabled: false });

    const refused = await (await browser.open(PAGE)).submit({}, 'redeliver');

    expect(refused.status).toBe(400);
    expect(refused.text).toContain(`webhook endpoint ${ENDPOINT} is disabled`.replace('w', 'W'));
    expect((await control.get(`/state/webhook_deliveries/${DELIVERY}`).expect(200)).body.status).toBe(
      'SUCCESS',
    );
  });
});
