import { exactTime, form } from '@understudy/core/pages/controls';
import { html, type Html, labelled, table } from '@understudy/core/pages/html';
import { redeliver, type Delivery } from '@understudy/core/webhooks/endpoints';
import { sentPayload } from '@understudy/core/webhooks/events/event';
import { attemptCount } from '@understudy/core/webhooks/due-calls';
import type { Rows } from '@understudy/core/state/env';
import type { Env } from '@understudy/core/state/env';
import type { CustomReply, Operations } from '@understudy/core/operations/handler';
import { backLink, portalPage, type Visit, redirectTo, withSubmittedForm, withVisit } from './visit.ts';

export const deliveryPages = {
  WebhookPortal_ShowDelivery({ path, cookies }, env) {
    return withVisit(env, cookies, (visit) =>
      deliveryPage(visit, env.webhook_deliveries.get(path.delivery_id)),
    );
  },

  WebhookPortal_Redeliver({ path, cookies, body }, env) {
    return withSubmittedForm(env, cookies, body, (visit) => {
      const { id } = redeliver(env, env.webhook_deliveries.get(path.delivery_id));
      return redirectTo(visit, `/deliveries/${id}`, { told: 'redelivered' });
    });
  },
} satisfies Partial<Operations>;

type Attempt = Delivery['attempts'][number];

/** One delivery: its payload and its attempts. */
function deliveryPage(visit: Visit, delivery: Delivery): CustomReply {
  const { event_type, attempts } = delivery;
  const body = html`${backLink}
    <section class="card">
      <div class="bar">
        <h1>${event_type}</h1>
        ${deliveryBadge(delivery)}
      </div>
      ${facts(visit, delivery)}
      <div class="actions">${redelivery(visit, delivery)}</div>
    </section>
    <section class="card">
      <h2>Attempts</h2>
      ${
        attempts.length === 0
          ? html`<p class="faint">No attempt yet.</p>`
          : html`<ul class="plain rows">
              ${attempts.map(attemptItem).toReversed()}
            </ul>`
      }
    </section>
    ${payloadSection(visit, delivery)}`;
  return portalPage(visit, { title: event_type, body });
}

function facts({ env }: Visit, { id, endpoint_id, event_id, created_at, next_attempt_at }: Delivery): Html {
  const name = endpointName(env.webhook_endpoints.get(endpoint_id));
  return html`<dl>
    <dt>Endpoint</dt>
    <dd><a href="/ui/webhooks/endpoints/${endpoint_id}">${name}</a></dd>
    <dt>Message</dt>
    <dd><code>${id}</code></dd>
    <dt>Event</dt>
    <dd><code>${event_id}</code></dd>
    <dt>Happened</dt>
    <dd>${exactTime(created_at)}</dd>
    ${
      next_attempt_at !== undefined &&
      html`<dt>Next attempt</dt>
        <dd>${exactTime(next_attempt_at)}</dd>`
    }
  </dl>`;
}

const redelivery = ({ session }: Visit, { id }: Delivery): Html =>
  form({
    action: `/ui/webhooks/deliveries/${id}/redeliver`,
    csrf_token: session.csrf_token,
    content: html`<button class="quiet">Send it again</button>`,
    inline: true,
  });

function attemptItem({ time, duration_ms, headers, status, answer, error }: Attempt, index: number): Html {
  return html`<li>
    <div class="bar">
      <span><strong>${index + 1}.</strong> ${exactTime(time)}</span>
      <span>${resultBadge(status)} <span class="faint">${duration_ms} ms</span></span>
    </div>
    ${error !== undefined && html`<p class="alert bad">${error}</p>`}
    ${headers && collapsible('Headers that were sent', headerLines(headers))}
    ${answer !== undefined && answer !== '' && collapsible('Answer', answer)}
  </li>`;
}

function resultBadge(status: number | undefined): Html {
  if (status === undefined) return html`<span class="badge bad">No answer</span>`;
  const kind = status >= 200 && status < 300 ? 'good' : 'bad';
  return html`<span class="badge ${kind}">${status}</span>`;
}

const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries({ 'content-type': 'application/json', ...headers })
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const collapsible = (summary: string, text: string): Html =>
  html`<details>
    <summary>${summary}</summary>
    ${block(text)}
  </details>`;

const block = (text: string): Html => html`<pre tabindex="0">${text}</pre>`;

/** The event may have been dropped; then the payload is no longer known. */
function payloadSection({ env }: Visit, delivery: Delivery): Html {
  const payload = sentPayload(env, delivery);
  if (payload === undefined)
    return html`<section class="card">
      <h2>Payload</h2>
      <p class="faint">The event and its payload are no longer stored.</p>
    </section>`;
  return html`<section class="card">
    <h2>Payload</h2>
    ${block(JSON.stringify(payload, undefined, 2))}
    ${collapsible('The exact text that is signed', JSON.stringify(payload))}
  </section>`;
}

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

function deliveryBadge({ status }: Delivery): Html {
  const [kind, text] = BADGES[status];
  return html`<span class="badge ${kind}">${text}</span>`;
}
