import type { ControlOutput } from '../contract/types.ts';
import type { ActivityItem } from '../environment/activity.ts';
import type { Tables } from '../environment/env.ts';
import type { Environment } from '../environment/environment.ts';
import type { Rows } from '../environment/rows/schema.ts';
import { DEFAULT_WAIT } from '../text/duration.ts';
import { redeliver } from '../webhooks/endpoints.ts';
import { sentPayload } from '../webhooks/events/view.ts';
import { checksOf, nearestOf, whyNone, type Check } from './delivery-match.ts';
import { unknownName, EvidenceError, type ControlOperations } from './handler.ts';
import { gatherMatches, readTimeout } from './waiting.ts';

type Delivery = Rows['webhook_deliveries'];
type View = ControlOutput<'Control_GetWebhookDelivery'>;

export const webhookDeliveries = {
  Control_ListWebhookDeliveries({ query }, { environment }) {
    const { since, limit = 100, ...match } = query;
    const { tables } = environment;
    const isRight = testOf(checksOf(match, tables));
    const found = deliveriesSince(tables, since).filter(isRight);
    return { deliveries: found.slice(-limit).map((delivery) => view(tables, delivery)) };
  },

  async Control_WaitForWebhookDeliveries({ query }, { environment, signal }) {
    const { since, count = 1, timeout, ...match } = query;
    const milliseconds = readTimeout(timeout);
    const wanted = { ...match, isDone: match.status === undefined };
    const checks = checksOf(wanted, environment.tables);
    const found = await gatherDeliveries(environment, { since, count, checks, milliseconds, signal });
    const deliveries = found.map((delivery) => view(environment.tables, delivery));
    if (deliveries.length >= count) return { deliveries };
    const others = deliveriesSince(environment.tables, since);
    const reason = found.length > 0 ? '' : whyNone(match, environment.tables);
    const message = `after ${timeout ?? DEFAULT_WAIT}, ${found.length} of ${count} deliveries had come${reason}`;
    throw new EvidenceError('deadline_exceeded', message, { deliveries, others: nearestOf(others, checks) });
  },

  Control_GetWebhookDelivery({ path }, { environment }) {
    return view(environment.tables, deliveryOf(environment.tables, path.id));
  },

  Control_RedeliverWebhook({ path }, { environment, baseUrl }) {
    const { result } = environment.transact({ baseUrl }, (env) => redeliver(env, deliveryOf(env, path.id)));
    return view(environment.tables, result);
  },

  Control_DeleteWebhookDeliveries({ query }, { environment, baseUrl }) {
    const isRight = testOf(checksOf(query, environment.tables));
    const gone = environment.tables.webhook_deliveries.list().filter(isRight);
    environment.transact({ baseUrl }, (env) => {
      for (const { id } of gone) env.remove('webhook_deliveries', id);
    });
    return undefined;
  },
} satisfies Partial<ControlOperations>;

interface DeliverySearch {
  since: string | undefined;
  count: number;
  checks: readonly Check[];
  milliseconds: number;
  signal: AbortSignal;
}

/** Existing and new deliveries, in the state in which they first matched. */
async function gatherDeliveries(
  environment: Environment,
  search: DeliverySearch,
): Promise<readonly Delivery[]> {
  const { since, count, checks, milliseconds, signal } = search;
  const isRight = testOf(checks);
  const later = deliveriesSince(environment.tables, since);
  const found = later.filter(isRight);
  const counted = new Set([...idsExcept(environment.tables, later), ...found.map(({ id }) => id)]);
  const take = (item: ActivityItem) => {
    if (item.kind !== 'webhook' || counted.has(item.delivery.id) || !isRight(item.delivery)) return undefined;
    counted.add(item.delivery.id);
    return item.delivery;
  };
  return gatherMatches(environment, { found, count, take, part: 'webhooks', milliseconds, signal });
}

/** Oldest first, after the delivery with the id `since`. */
function deliveriesSince({ webhook_deliveries }: Tables, since: string | undefined): Delivery[] {
  const all = webhook_deliveries.list();
  if (since === undefined) return all;
  const at = all.findIndex(({ id }) => id === since);
  if (at < 0) throw unknownDelivery(since, all);
  return all.slice(at + 1);
}

/** Ids of the deliveries up to `since`. */
function idsExcept({ webhook_deliveries }: Tables, later: readonly Delivery[]): string[] {
  const all = webhook_deliveries.list();
  return all.slice(0, all.length - later.length).map(({ id }) => id);
}

const testOf = (checks: readonly Check[]) => (delivery: Delivery) => checks.every((check) => check(delivery));

/** Throws `not_found` with the most similar id. */
function deliveryOf({ webhook_deliveries }: Tables, id: string): Delivery {
  const found = webhook_deliveries.find(id);
  if (!found) throw unknownDelivery(id, webhook_deliveries.list());
  return found;
}

const unknownDelivery = (id: string, all: readonly Delivery[]) =>
  unknownName(
    'webhook delivery',
    id,
    all.map((delivery) => delivery.id),
  );

/** The event may have been dropped; then the payload is no longer known. */
function view(tables: Tables, delivery: Delivery): View {
  const { url } = tables.webhook_endpoints.find(delivery.endpoint_id) ?? {};
  const payload = sentPayload(tables, delivery) as View['payload'];
  return {
    ...delivery,
    ...(url !== undefined && { url }),
    ...(payload && { payload, body: JSON.stringify(payload) }),
  };
}
