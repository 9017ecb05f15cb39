import { attemptCount } from '../../webhooks/attempts.ts';
import type { Delivery } from '../../webhooks/endpoints.ts';
import { html, labelled, table, type Html } from '../../pages/html.ts';
import { exactTime } from '../../pages/controls.ts';
import type { Rows } from '../../environment/rows/schema.ts';
import type { Env } from '../../environment/env.ts';

type Endpoint = Rows['webhook_endpoints'];

const MOST = 50;

/** Deliveries, the latest first; `ofSeveral` adds a column for the endpoint. */
export function deliveryTable(env: Env, deliveries: readonly Delivery[], ofSeveral: boolean): Html {
  if (deliveries.length === 0) return html`<p class="faint">Nothing was sent yet.</p>`;
  const shown = deliveries.toReversed().slice(0, MOST);
  return html`${table(
    ['Event', 'Time', 'Attempts', 'State'],
    shown.map((delivery) => cellsOf(env, delivery, ofSeveral)),
  )}
  ${deliveries.length > MOST && html`<p class="faint">and ${deliveries.length - MOST} earlier ones</p>`}`;
}

const cellsOf = (env: Env, delivery: Delivery, ofSeveral: boolean) => [
  html`<a href="/ui/webhooks/deliveries/${delivery.id}">${delivery.event_type}</a>
    ${ofSeveral && html`<br /><span class="faint">${endpointName(env.webhook_endpoints.get(delivery.endpoint_id))}</span>`}`,
  labelled(exactTime(delivery.created_at)),
  labelled(attemptCount(delivery)),
  deliveryBadge(delivery),
];

export const endpointName = ({ url, description }: Endpoint): string => url ?? description ?? 'Inbox';

const BADGES: Record<Delivery['status'], readonly [kind: string, text: string]> = {
  QUEUED: ['', 'Queued'],
  RETRYING: ['', 'Waiting for a retry'],
  SUCCESS: ['good', 'Delivered'],
  FAILED: ['bad', 'Failed'],
  HELD: ['', 'Held back by a scenario'],
  DROPPED: ['', 'Dropped by a scenario'],
};

export function deliveryBadge({ status }: Delivery): Html {
  const [kind, text] = BADGES[status];
  return html`<span class="badge ${kind}">${text}</span>`;
}
