import { expect, it } from 'vitest';
import { boot } from '../../../test/support/boot.ts';
import { Browser } from '../../../test/support/browser.ts';
import {
  DELIVERY,
  ENDPOINT,
  openWebhookPortal,
  placeDelivery,
} from '../../../test/support/webhook-portal.ts';
import { expectHarmless, MARKUP, tryEveryField } from '../../../test/pages/injection-support.ts';

const ENDPOINT_PAGE = `/ui/webhooks/endpoints/${ENDPOINT}`;
const DELIVERY_PAGE = `/ui/webhooks/deliveries/${DELIVERY}`;
const PAGES = ['/ui/webhooks', '/ui/webhooks/endpoints', ENDPOINT_PAGE, DELIVERY_PAGE];
const THEN = '2026-01-01T00:00:00.000Z';

/** Numbered markup, so that a value that no page shows is noticed. */
const marked = (number: number) => `no${number}.${MARKUP}`;
const numbersIn = (text: string) => new Set(text.match(/no\d+\.\\?&quot;&#39;&gt;&lt;script/g));

async function bootWithMarkup() {
  const booted = await boot();
  const event = { type: 'user.login', occurred_at: THEN, source: 'SCALEKIT', object: 'User' };
  await booted.control
    .put('/state/events/evt_10000000000000001')
    .send({ ...event, data: { name: marked(1) } })
    .expect(200);
  const endpoint = { kind: 'http', url: marked(2), description: marked(3), event_types: [marked(4)] };
  const headers = { 'webhook-id': marked(5) };
  const attempt = { time: THEN, duration_ms: 1, headers, answer: marked(6), error: marked(7) };
  await placeDelivery(booted.control, endpoint, { event_type: marked(8), attempts: [attempt] });
  return { booted, ...(await openWebhookPortal(booted)) };
}

it('markup in rows is escaped on the pages of the webhook portal', async () => {
  const { browser } = await bootWithMarkup();

  const seen = new Set<string>();
  for (const path of PAGES) {
    const page = await browser.open(path);
    expect([path, page.status]).toEqual([path, 200]);
    expectHarmless(page);
    for (const each of numbersIn(page.text)) seen.add(each);
  }

  expect(seen.size).toBe(8);
});

it.each(PAGES)(
  'markup in a form of %s is escaped',
  async (path) => {
    const { browser } = await bootWithMarkup();

    const tried = await tryEveryField(await browser.open(path));

    expect(tried).toEqual(expect.arrayContaining(FIELDS[path]!));
    expectHarmless(await browser.open('/ui/webhooks'));
  },
  30_000,
);

it('markup in an address or in the session cookie of the webhook portal is escaped', async () => {
  const { booted, browser } = await bootWithMarkup();
  const wrong = encodeURIComponent(MARKUP);

  for (const path of ['endpoints', 'deliveries']) {
    const page = await browser.open(`/ui/webhooks/${path}/${wrong}`);
    expect(page.status).toBe(404);
    expectHarmless(page);
  }
  const stranger = new Browser(booted);
  stranger.cookies.set('understudy_webhooks', wrong);
  expectHarmless(await stranger.open('/ui/webhooks'));
  expectHarmless(await stranger.open(`/webhooks/portal/${wrong}`));
});

const fieldsOf = (path: string, names: string) => names.split(' ').map((name) => `${path} ${name}`);

/** The fields that the test must have tried on each page. */
const FIELDS: Readonly<Record<string, string[]>> = {
  '/ui/webhooks': fieldsOf('/ui/webhooks/test-events', 'csrf_token event_type'),
  '/ui/webhooks/endpoints': fieldsOf('/ui/webhooks/endpoints', 'csrf_token kind url description event_types'),
  [ENDPOINT_PAGE]: [
    ...fieldsOf(ENDPOINT_PAGE, 'csrf_token url description event_types'),
    ...fieldsOf(`${ENDPOINT_PAGE}/switch`, 'csrf_token enabled'),
    ...fieldsOf(`${ENDPOINT_PAGE}/rotate`, 'csrf_token'),
    ...fieldsOf(`${ENDPOINT_PAGE}/remove`, 'csrf_token'),
  ],
  [DELIVERY_PAGE]: fieldsOf(`${DELIVERY_PAGE}/redeliver`, 'csrf_token'),
};
