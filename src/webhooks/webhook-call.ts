import type { Contract } from '../contract/contract.ts';
import type { Tables, Env, Rows } from '../state/env.ts';
import { type CallingEnvironment, nextRetryTime, withLatestAttempts } from './due-calls.ts';
import { attempt, DEFAULT_TIMEOUT } from './http-client.ts';
import {
  refused,
  type CallKind,
  type CallContext,
  type CallOutcome,
  DeliveryAttempt,
  type WebhookRequest,
  type PreparedDelivery,
} from './delivery-attempt.ts';
import { payloadOf } from './events/event.ts';
import { secretsOf } from './endpoints.ts';

type Delivery = Rows['webhook_deliveries'];

/** Deliveries of events to webhook endpoints, with retries. */
export const webhookCalls: CallKind<Delivery> = {
  name: 'webhook',
  queueOf({ endpoint_id }, { webhook_endpoints }) {
    return { name: endpoint_id, atOnce: webhook_endpoints.find(endpoint_id)?.max_in_flight ?? 1 };
  },

  isLocal: ({ endpoint_id }, { webhook_endpoints }) => webhook_endpoints.find(endpoint_id)?.kind === 'inbox',

  attempt: sendWebhook,

  rowAfter(tried, { result, until }, { clock: { ms: now }, settings }) {
    const delivery = withLatestAttempts(tried);
    if (result === 'delivered') return { ...delivery, status: 'SUCCESS' };
    if (result === 'refused') return { ...delivery, status: 'FAILED' };
    if (result === 'dropped') return { ...delivery, status: 'DROPPED' };
    if (until?.hold) return { ...delivery, status: 'HELD', hold: until.hold, postponed: true };
    if (until?.time) return { ...delivery, ...waiting(until.time, now), postponed: true };
    const next = nextRetryTime(delivery, settings.get('settings').webhook_retries);
    if (next === undefined) return { ...delivery, status: 'FAILED' };
    return { ...delivery, status: 'RETRYING', ...waiting(next, now) };
  },

  recordConsequences(env, delivery, { result }) {
    if (result !== 'postponed') releaseHeld(env, delivery);
  },
};

const waiting = (until: number, now: number) =>
  until > now ? { next_attempt_at: new Date(until).toISOString() } : {};

/** Releases deliveries that a scenario holds until `hold` others of the endpoint are done. */
function releaseHeld(env: Env, { id, endpoint_id }: Delivery): void {
  for (const held of env.webhook_deliveries.list('status', 'HELD')) {
    if (held.endpoint_id !== endpoint_id || held.id === id) continue;
    const { hold = 1, ...free } = held;
    env.webhook_deliveries.replace(hold > 1 ? { ...held, hold: hold - 1 } : { ...free, status: 'QUEUED' });
  }
}

type Endpoint = Rows['webhook_endpoints'];

/** Makes one attempt with the changes that scenarios demand. */
async function sendWebhook(
  delivery: Delivery,
  environment: CallingEnvironment,
  context: CallContext,
): Promise<CallOutcome> {
  const { tables, clock } = environment;
  const prepared = prepareDelivery(delivery, tables);
  if ('result' in prepared) return prepared;
  const attempt = new DeliveryAttempt(prepared, environment, context);
  const postponed = attempt.postponement(clock.now());
  if (postponed) return postponed;
  const { payload, isOutside } = attempt.payload;
  const violation = isOutside ? undefined : contractViolation(context.contract, delivery.event_type, payload);
  if (violation) {
    context.report(`webhook delivery ${delivery.id} was not sent`, violation);
    return refused(violation);
  }
  const { endpoint } = prepared;
  const timeout = tables.settings.find('settings')?.webhook_timeout ?? DEFAULT_TIMEOUT;
  const secrets = secretsOf(endpoint, clock.now());
  const send = (request: WebhookRequest) => sendRequest(request, endpoint, { ...context, timeout });
  return attempt.make(send, { timeout, secrets });
}

/** Returns a refusal if the delivery can never be sent. */
function prepareDelivery(delivery: Delivery, tables: Tables): PreparedDelivery | CallOutcome {
  const endpoint = tables.webhook_endpoints.find(delivery.endpoint_id);
  if (!endpoint) return refused(`webhook endpoint ${delivery.endpoint_id} is gone`);
  // Unverified (webhooks/disabled-endpoint): like Svix, deliveries that wait for an endpoint are not sent after it is
  // disabled.
  if (!endpoint.enabled) return refused(`webhook endpoint ${endpoint.id} is disabled`);
  const event = tables.events.find(delivery.event_id);
  if (!event) return refused(`event ${delivery.event_id} is gone: there is nothing to send`);
  return { delivery, endpoint, payload: payloadOf(tables, event) };
}

async function sendRequest(
  { headers, body }: WebhookRequest,
  { kind, url = '' }: Endpoint,
  context: CallContext & { timeout: number },
): Promise<CallOutcome> {
  if (kind === 'inbox') return { result: 'delivered', attempts: [{ duration_ms: 0, status: 200 }] };
  const all = { 'user-agent': context.userAgent, 'content-type': 'application/json', ...headers };
  return attempt({ url, headers: all, body }, context);
}

/** How the payload breaks the contract: a bug of ours, or rows that a tester has written. */
function contractViolation(contract: Contract, type: string, payload: unknown): string | undefined {
  const complaints = contract.messageComplaints(type, structuredClone(payload));
  if (complaints.length === 0) return undefined;
  const text = complaints.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
  return `payload breaks the contract: ${type}: ${text}`;
}
