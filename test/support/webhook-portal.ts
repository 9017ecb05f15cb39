import type { Agent, Booted } from './boot.ts';
import { Browser } from './browser.ts';

/** The path of a new portal link. */
export async function webhookPortalLink(api: Agent) {
  const { body } = await api.get('/api/v1/webhooks/portal-url').expect(200);
  return new URL(body.url).pathname;
}

/** Opens the overview page of the webhook portal. */
export async function openWebhookPortal(booted: Booted, api = booted.api) {
  const browser = new Browser(booted);
  const overview = await browser.open(await webhookPortalLink(api));
  return { browser, overview };
}

export const ENDPOINT = 'ep_10000000000000001';
export const DELIVERY = 'msg_10000000000000001';
const THEN = '2026-01-01T00:00:00.000Z';

/** Inserts an inbox endpoint and one delivery to it, whose event no longer exists. */
export async function placeDelivery(control: Agent, endpoint: object = {}, delivery: object = {}) {
  const inbox = {
    kind: 'inbox',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    enabled: true,
    max_in_flight: 1,
    created_at: THEN,
    updated_at: THEN,
  };
  const sent = {
    endpoint_id: ENDPOINT,
    event_id: 'evt_10000000000000001',
    event_type: 'user.login',
    status: 'SUCCESS',
    attempts: [{ time: THEN, duration_ms: 7, status: 200 }],
    created_at: THEN,
  };
  await control
    .put(`/state/webhook_endpoints/${ENDPOINT}`)
    .send({ ...inbox, ...endpoint })
    .expect(200);
  await control
    .put(`/state/webhook_deliveries/${DELIVERY}`)
    .send({ ...sent, ...delivery })
    .expect(200);
}
