import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';
import { nextAttempt } from '../schedule.ts';
import type { Kind } from '../kind.ts';
import { sendWebhook } from './send-webhook.ts';

type Delivery = Rows['webhook_deliveries'];

/** Events on their way to endpoints, tried again by the schedule. */
export const webhooks: Kind<Delivery> = {
  laneOf({ endpoint_id }, { webhook_endpoints }) {
    return { name: endpoint_id, atOnce: webhook_endpoints.find(endpoint_id)?.max_in_flight ?? 1 };
  },

  isLocal: ({ endpoint_id }, { webhook_endpoints }) => webhook_endpoints.find(endpoint_id)?.kind === 'inbox',

  attempt: sendWebhook,

  after(delivery, { verdict, until }, now) {
    if (verdict === 'delivered') return { ...delivery, status: 'SUCCESS' };
    if (verdict === 'refused') return { ...delivery, status: 'FAILED' };
    if (verdict === 'dropped') return { ...delivery, status: 'DROPPED' };
    if (until?.hold) return { ...delivery, status: 'HELD', hold: until.hold, postponed: true };
    if (until?.time) return { ...delivery, ...waiting(until.time, now), postponed: true };
    const next = nextTry(delivery);
    if (next === undefined) return { ...delivery, status: 'FAILED' };
    return { ...delivery, status: 'RETRYING', ...waiting(next, now) };
  },

  follow(world, delivery, { verdict }) {
    if (verdict !== 'postponed') letGo(world, delivery);
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
function letGo(world: World, { id, endpoint_id }: Delivery): void {
  for (const held of world.webhook_deliveries.list('status', 'HELD')) {
    if (held.endpoint_id !== endpoint_id || held.id === id) continue;
    const { hold = 1, ...free } = held;
    world.webhook_deliveries.replace(hold > 1 ? { ...held, hold: hold - 1 } : { ...free, status: 'QUEUED' });
  }
}
