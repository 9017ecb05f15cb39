import type { ControlOutput } from '../contract/types.ts';
import type { Tables } from '../environment/env.ts';
import type { Rows } from '../environment/rows/schema.ts';
import { DEFAULT_WAIT } from '../text/duration.ts';
import { redeliver } from '../webhooks/endpoints.ts';
import { sentPayload } from '../webhooks/events/view.ts';
import { checksOf, nearestOf, whyNone, type Check } from './delivery-match.ts';
import { EvidenceError, type ControlOperations } from './handler.ts';
import { ItemList } from './item-list.ts';

type Delivery = Rows['webhook_deliveries'];
type View = ControlOutput<'Control_GetWebhookDelivery'>;

const DELIVERIES = new ItemList<Delivery>({
  noun: 'webhook delivery',
  source: ({ tables }) => tables.webhook_deliveries,
  changedIn: (activity) => (activity.kind === 'webhook' ? [activity.delivery] : []),
  part: 'webhooks',
});

export const webhookDeliveries = {
  Control_ListWebhookDeliveries({ query }, { environment }) {
    const { since, limit = 100, ...match } = query;
    const isWanted = testOf(checksOf(match, environment.tables));
    const found = DELIVERIES.list(environment, { isWanted, since, limit });
    return { deliveries: found.map((delivery) => view(environment.tables, delivery)) };
  },

  async Control_WaitForWebhookDeliveries({ query }, context) {
    const { since, count = 1, timeout, ...match } = query;
    const { environment } = context;
    const checks = checksOf({ ...match, isDone: match.status === undefined }, environment.tables);
    const found = await DELIVERIES.wait(context, { isWanted: testOf(checks), since, count, timeout });
    const deliveries = found.map((delivery) => view(environment.tables, delivery));
    if (deliveries.length >= count) return { deliveries };
    const others = DELIVERIES.after(environment, since);
    const reason = found.length > 0 ? '' : whyNone(match, environment.tables);
    const message = `after ${timeout ?? DEFAULT_WAIT}, ${found.length} of ${count} deliveries had come${reason}`;
    throw new EvidenceError('deadline_exceeded', message, { deliveries, others: nearestOf(others, checks) });
  },

  Control_GetWebhookDelivery({ path }, { environment }) {
    return view(environment.tables, DELIVERIES.get(environment, path.id));
  },

  Control_RedeliverWebhook({ path }, { environment, baseUrl }) {
    const delivery = DELIVERIES.get(environment, path.id);
    const { result } = environment.transact({ baseUrl }, (env) => redeliver(env, delivery));
    return view(environment.tables, result);
  },

  Control_DeleteWebhookDeliveries({ query }, { environment, baseUrl }) {
    const gone = DELIVERIES.list(environment, { isWanted: testOf(checksOf(query, environment.tables)) });
    environment.transact({ baseUrl }, (env) => {
      for (const { id } of gone) env.remove('webhook_deliveries', id);
    });
    return undefined;
  },
} satisfies Partial<ControlOperations>;

const testOf = (checks: readonly Check[]) => (delivery: Delivery) => checks.every((check) => check(delivery));

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
