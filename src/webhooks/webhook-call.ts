import type { Contract } from '../contract/contract.ts';
import type { Tables, Env } from '../environment/env.ts';
import type { Environment } from '../environment/environment.ts';
import type { Rows } from '../environment/rows/schema.ts';
import { attempt, DEFAULT_TIMEOUT } from './http-client.ts';
import { nextAttempt, refused, type CallKind, type CallContext, type Outcome } from './call-kind.ts';
import { payloadOf } from './events/view.ts';
import { ScriptedDelivery, type Part, type Piece } from './scripted-delivery.ts';

type Delivery = Rows['webhook_deliveries'];

/** Events on their way to endpoints, tried again by the schedule. */
export const webhooks: CallKind<Delivery> = {
  queueOf({ endpoint_id }, { webhook_endpoints }) {
    return { name: endpoint_id, atOnce: webhook_endpoints.find(endpoint_id)?.max_in_flight ?? 1 };
  },

  isLocal: ({ endpoint_id }, { webhook_endpoints }) => webhook_endpoints.find(endpoint_id)?.kind === 'inbox',

  attempt: sendWebhook,

  after(delivery, { result, until }, now) {
    if (result === 'delivered') return { ...delivery, status: 'SUCCESS' };
    if (result === 'refused') return { ...delivery, status: 'FAILED' };
    if (result === 'dropped') return { ...delivery, status: 'DROPPED' };
    if (until?.hold) return { ...delivery, status: 'HELD', hold: until.hold, postponed: true };
    if (until?.time) return { ...delivery, ...waiting(until.time, now), postponed: true };
    const next = nextTry(delivery);
    if (next === undefined) return { ...delivery, status: 'FAILED' };
    return { ...delivery, status: 'RETRYING', ...waiting(next, now) };
  },

  follow(env, delivery, { result }) {
    if (result !== 'postponed') releaseHeld(env, delivery);
  },
};

/** Sent again on demand, it is tried by a schedule that begins then. */
function nextTry({ created_at, attempts, redelivered }: Delivery): number | undefined {
  const { at, attempts_before } = redelivered ?? { at: created_at, attempts_before: 0 };
  const tries = attempts.slice(attempts_before).filter(({ is_duplicate }) => !is_duplicate);
  return nextAttempt(Date.parse(at), tries.length);
}

const waiting = (until: number, now: number) =>
  until > now ? { next_attempt_at: new Date(until).toISOString() } : {};

/** Those that a scenario holds until others have gone before them: one has. */
function releaseHeld(env: Env, { id, endpoint_id }: Delivery): void {
  for (const held of env.webhook_deliveries.list('status', 'HELD')) {
    if (held.endpoint_id !== endpoint_id || held.id === id) continue;
    const { hold = 1, ...free } = held;
    env.webhook_deliveries.replace(hold > 1 ? { ...held, hold: hold - 1 } : { ...free, status: 'QUEUED' });
  }
}

type Endpoint = Rows['webhook_endpoints'];

/** Makes one attempt, as the scenarios of the environment want it. */
export async function sendWebhook(
  delivery: Delivery,
  environment: Environment,
  context: CallContext,
): Promise<Outcome> {
  const { tables, clock } = environment;
  const piece = collect(delivery, tables);
  if ('result' in piece) return piece;
  const delivering = new ScriptedDelivery(piece, environment, context);
  const put = delivering.putOff(clock.now());
  if (put) return put;
  const { payload, isOutside } = delivering.payload;
  const broken = isOutside ? undefined : complaint(context.contract, delivery.event_type, payload);
  if (broken) {
    context.report(`webhook delivery ${delivery.id} was not sent`, broken);
    return refused(broken);
  }
  const { endpoint } = piece;
  const timeout = tables.settings.find('settings')?.webhook_timeout ?? DEFAULT_TIMEOUT;
  const secrets = secretsOf(endpoint, clock.now());
  const send = (part: Part) => sendPart(part, endpoint, { ...context, timeout });
  return delivering.play(send, { timeout, secrets });
}

/** What goes where; or why it never will. */
function collect(delivery: Delivery, tables: Tables): Piece | Outcome {
  const endpoint = tables.webhook_endpoints.find(delivery.endpoint_id);
  if (!endpoint) return refused(`webhook endpoint ${delivery.endpoint_id} is gone`);
  // Unverified: as Svix has it, what waited for an endpoint is not sent once that is switched off.
  if (!endpoint.enabled) return refused(`webhook endpoint ${endpoint.id} is disabled`);
  const event = tables.events.find(delivery.event_id);
  if (!event) return refused(`event ${delivery.event_id} is gone: there is nothing to send`);
  return { delivery, endpoint, payload: payloadOf(tables, event) };
}

async function sendPart(
  { headers, body }: Part,
  { kind, url = '' }: Endpoint,
  context: CallContext & { timeout: number },
): Promise<Outcome> {
  if (kind === 'inbox') return { result: 'delivered', attempts: [{ duration_ms: 0, status: 200 }] };
  const all = { 'user-agent': context.userAgent, 'content-type': 'application/json', ...headers };
  return attempt({ url, headers: all, body }, context);
}

/** The newest first. */
const secretsOf = ({ secret, old_secrets = [] }: Endpoint, now: number): string[] => [
  secret,
  ...old_secrets.filter(({ expires_at }) => Date.parse(expires_at) > now).map((old) => old.secret),
];

/** How what is to be sent breaks the document; a fault of ours, or of rows that a tester has put there. */
function complaint(contract: Contract, type: string, payload: unknown): string | undefined {
  const complaints = contract.messageComplaints(type, structuredClone(payload));
  if (complaints.length === 0) return undefined;
  const told = complaints.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
  return `payload breaks the contract: ${type}: ${told}`;
}
