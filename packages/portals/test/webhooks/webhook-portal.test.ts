import { describe, expect, it } from 'vitest';
import { boot, type Agent, type Booted } from '../../../../test/support/boot.ts';
import { Browser, type Visit } from '../../../../test/support/browser.ts';
import {
  DELIVERY,
  ENDPOINT,
  openWebhookPortal,
  placeDelivery,
  webhookPortalLink,
} from '../../../../test/support/webhook-portal.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const HOOKS = 'http://localhost:3000/webhooks';
const PAGE = `/ui/webhooks/endpoints/${ENDPOINT}`;

type Row = Record<string, unknown> & { id: string };

const rows = async (control: Agent, collection: string): Promise<Row[]> =>
  (await control.get(`/state/${collection}`).expect(200)).body.rows;

const ticked = ({ text }: Visit) =>
  [...text.matchAll(/<input\s[^>]*value="([^"]*)"\s+checked/g)].map(([, value]) => value);

/** Waits until all due deliveries are sent, without waiting for external receivers. */
const settled = ({ understudy }: Booted) =>
  understudy.controls.simulator.environments.get('default').settled();

async function openPage(path = PAGE, endpoint: object = {}, delivery: object = {}) {
  const booted = await boot({ now: NOW });
  await placeDelivery(booted.control, endpoint, delivery);
  const { browser } = await openWebhookPortal(booted);
  return { ...booted, booted, browser, page: await browser.open(path) };
}

describe('the link of the webhook portal', () => {
  it('opens the portal for seven days, and the session ends at the same time', async () => {
    const booted = await boot({ now: NOW });
    const link = await webhookPortalLink(booted.api);
    const browser = new Browser(booted);

    const overview = await browser.open(link);
    const again = await new Browser(booted).open(link);
    await booted.control.post('/clock/advance').send({ by: '7d' }).expect(200);

    expect([overview.url, overview.status]).toEqual(['http://localhost:8080/ui/webhooks', 200]);
    expect(overview.text).toContain('The session ends Tue, 08 Jan 2030 00:00 UTC.');
    expect(again.status).toBe(200);
    expect((await new Browser(booted).open(link)).status).toBe(410);
    expect((await browser.open('/ui/webhooks')).status).toBe(401);
  });

  it('opens the portal of its own environment', async () => {
    const booted = await boot();
    const blue = await booted.environment('blue');
    const { browser } = await openWebhookPortal(booted);

    const page = await browser.open(await webhookPortalLink(blue.api));
    await (
      await browser.open('/ui/webhooks/endpoints')
    ).submit({ url: HOOKS }, 'action="/ui/webhooks/endpoints"');

    expect(page.text).toContain('Webhooks of the environment blue');
    expect(await rows(blue.control, 'webhook_endpoints')).toHaveLength(1);
    expect(await rows(booted.control, 'webhook_endpoints')).toEqual([]);
  });

  it('contains a token that differs from the id of its row', async () => {
    const { api, control } = await boot();
    const link = await webhookPortalLink(api);

    const [{ id, token }] = (await rows(control, 'webhook_portal_links')) as [Row];

    expect(link).toBe(`/webhooks/portal/${String(token)}`);
    expect(id).not.toContain(token);
  });

  it.each([
    ['/webhooks/portal/0b9e7a54-3c21-4d68-8f17-5a6b7c8d9e0f', 404],
    ['/ui/webhooks', 401],
    ['/ui/webhooks/endpoints', 401],
    [PAGE, 401],
  ])('is required: without it %s answers %i', async (path, status) => {
    expect((await new Browser(await boot()).open(path)).status).toBe(status);
  });

  it('sets a cookie with HttpOnly and SameSite=Lax', async () => {
    const { api, anonymous } = await boot();

    const { headers } = await anonymous.get(await webhookPortalLink(api)).expect(302);

    expect(String(headers['set-cookie'])).toMatch(
      /^understudy_webhooks=\w{40}; Path=\/ui\/webhooks; HttpOnly; SameSite=Lax$/,
    );
  });
});

describe('a new endpoint in the webhook portal', () => {
  const add = async (form: Record<string, string | string[]>) => {
    const booted = await boot({ now: NOW });
    const { browser } = await openWebhookPortal(booted);
    const page = await (await browser.open('/ui/webhooks/endpoints')).submit(form);
    return { page, browser, endpoints: await rows(booted.control, 'webhook_endpoints') };
  };

  it('receives the chosen event types and has its own secret', async () => {
    const form = { url: ` ${HOOKS}`, description: 'Shop', event_types: ['user.*', 'role.created'] };
    const { page, browser, endpoints } = await add(form);

    expect(endpoints).toEqual([
      {
        id: expect.stringMatching(/^ep_\d+$/),
        kind: 'http',
        url: HOOKS,
        description: 'Shop',
        event_types: ['user.*', 'role.created'],
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
        enabled: true,
        max_in_flight: 1,
        created_at: NOW,
        updated_at: NOW,
      },
    ]);
    expect(page.url).toContain(`/ui/webhooks/endpoints/${endpoints[0]!.id}`);
    expect(page.text).toContain('The endpoint was added.');
    expect(page.text).toContain(`value="${String(endpoints[0]!['secret'])}"`);
    expect((await browser.open(page.url)).text).not.toContain('The endpoint was added.');
  });

  it('receives all event types when none is chosen, and can be an inbox', async () => {
    const { endpoints } = await add({ kind: 'inbox', url: '' });

    expect(endpoints).toMatchObject([{ kind: 'inbox' }]);
    expect(endpoints[0]).not.toHaveProperty('url');
    expect(endpoints[0]).not.toHaveProperty('event_types');
  });

  it('drops event types that a chosen group includes', async () => {
    const { endpoints } = await add({ url: HOOKS, event_types: ['user.login', 'user.*', 'role.created'] });

    expect(endpoints[0]!['event_types']).toEqual(['user.*', 'role.created']);
  });

  it.each([
    [{ url: '' }, 'Address: enter the address'],
    [{ url: 'ftp://files.example/' }, 'not an http or https address'],
    [{ url: 'shop' }, 'not an http or https address'],
    [{ kind: 'inbox', url: HOOKS }, 'an inbox has no address'],
    [{ url: HOOKS, event_types: 'user.logn' }, 'did you mean user.login?'],
  ])('is refused when its settings are invalid: %o', async (form, problem) => {
    const { page, endpoints } = await add({ ...form, description: 'Typed before' });

    expect(page.status).toBe(400);
    expect(page.text).toContain(problem);
    expect(page.text).toContain('value="Typed before"');
    expect(endpoints).toEqual([]);
  });
});

describe('the page of an endpoint in the webhook portal', () => {
  it('changes address, event types and description', async () => {
    const set = {
      kind: 'http',
      url: HOOKS,
      description: 'Shop',
      event_types: ['user.*', 'organization.sso_*'],
    };
    const { control, page } = await openPage(PAGE, set);
    expect(ticked(page)).toEqual(['user.*', 'organization.sso_*']);

    const saved = await page.submit(
      { url: 'https://shop.example/hooks', description: '', event_types: 'organization.sso_*' },
      `action="${PAGE}"`,
    );

    const [endpoint] = await rows(control, 'webhook_endpoints');
    expect(endpoint).toMatchObject({
      url: 'https://shop.example/hooks',
      event_types: ['organization.sso_*'],
      updated_at: NOW,
    });
    expect(endpoint).not.toHaveProperty('description');
    expect(saved.text).toContain('The settings are saved.');
  });

  it('refuses invalid settings', async () => {
    const { control, page } = await openPage(PAGE, { kind: 'http', url: HOOKS });

    const refused = await page.submit({ url: 'mailto:ops@shop.example' }, `action="${PAGE}"`);

    expect(refused.status).toBe(400);
    expect(refused.text).toContain('value="mailto:ops@shop.example"');
    expect(await rows(control, 'webhook_endpoints')).toMatchObject([{ url: HOOKS }]);
  });

  it('disables and enables the endpoint', async () => {
    const { api, control, booted, page } = await openPage();

    const off = await page.submit({}, `${PAGE}/switch`);
    await api.post('/api/v1/webhooks/test-event/user.login').expect(200);
    const whileOff = await rows(control, 'webhook_deliveries');
    const on = await off.submit({}, `${PAGE}/switch`);
    await api.post('/api/v1/webhooks/test-event/user.login').expect(200);
    await settled(booted);

    expect(off.text).toContain('The endpoint is switched off.');
    expect(on.text).toContain('The endpoint is switched on.');
    expect(whileOff).toHaveLength(1);
    expect(await rows(control, 'webhook_deliveries')).toHaveLength(2);
  });

  it('rotates the secret and shows the old one until it expires', async () => {
    const { control, browser, page } = await openPage();

    const rotated = await page.submit({}, `${PAGE}/rotate`);
    const [{ secret, old_secrets }] = (await rows(control, 'webhook_endpoints')) as [Row];
    await control.post('/clock/advance').send({ by: '24h' }).expect(200);
    const later = await browser.open(PAGE);

    const old = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    expect(old_secrets).toEqual([{ secret: old, expires_at: '2030-01-02T00:00:00.000Z' }]);
    for (const each of [secret, old]) expect(rotated.text).toContain(`value="${String(each)}"`);
    expect(later.text).toContain(`value="${String(secret)}"`);
    expect(later.text).not.toContain(old);
  });

  it('removes the endpoint with its deliveries', async () => {
    const { control, page } = await openPage();

    const removed = await page.submit({}, `${PAGE}/remove`);

    expect(removed.url).toMatch(/\/ui\/webhooks$/);
    expect(removed.text).toContain('No endpoint yet.');
    expect(await rows(control, 'webhook_endpoints')).toEqual([]);
    expect(await rows(control, 'webhook_deliveries')).toEqual([]);
  });

  it('keeps the secret out of the journal', async () => {
    const { control, page } = await openPage();
    expect(page.text).toContain('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');

    const { text } = await control.get('/requests').expect(200);

    expect(text).not.toContain('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    expect(text).toContain(PAGE);
  });

  it.each([PAGE, `/ui/webhooks/deliveries/${DELIVERY}`])(
    'answers 404 for another id than that of %s',
    async (path) => {
      const { browser } = await openPage();

      expect((await browser.open(`${path}9`)).status).toBe(404);
    },
  );
});
