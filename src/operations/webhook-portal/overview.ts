import { recordEvent } from '../../events/record.ts';
import { isEventType } from '../../events/types.ts';
import { listensTo } from '../../events/filter.ts';
import { invalidArgument } from '../../errors.ts';
import { html, type Html } from '../../pages/html.ts';
import type { Rows } from '../../world/schema.ts';
import type { Answer } from '../answer.ts';
import { attempt } from '../attempt.ts';
import { sampleEvent } from '../events/sample-events.ts';
import type { Operations } from '../handler.ts';
import { problemOf } from '../problem.ts';
import { deliveryTable, endpointName } from './delivery-list.ts';
import { portalPage } from './frame.ts';
import { testEventSection } from './test-event-form.ts';
import { goOn, submitting, visiting, type Visit } from './visit.ts';

type Endpoint = Rows['webhook_endpoints'];

export const overviewPages = {
  WebhookPortal_Show({ cookies }, world) {
    return visiting(world, cookies, (visit) => overview(visit));
  },

  WebhookPortal_SendTestEvent({ cookies, body = {} }, world) {
    return submitting(world, cookies, body, (visit) =>
      attempt(
        () => sendTestEvent(visit, body.event_type),
        (refusal) => overview(visit, { problem: problemOf(refusal, {}), filled: body }),
      ),
    );
  },
} satisfies Partial<Operations>;

function sendTestEvent(visit: Visit, type = ''): Answer {
  const { world } = visit;
  if (!isEventType(type)) throw invalidArgument(`event type ${type} is not known`);
  recordEvent(world, sampleEvent(type, world.clock.iso(), world.settings.get('settings').environment_id));
  const count = world.webhook_endpoints.list().filter((endpoint) => listensTo(endpoint, type)).length;
  return goOn(visit, '', { told: 'sent', about: type, count });
}

function overview(visit: Visit, refused?: Parameters<typeof testEventSection>[1]): Answer {
  const { world } = visit;
  const body = html`<section class="card" id="endpoints">
      <div class="bar">
        <h1>Endpoints</h1>
        <span class="actions"><a class="button" href="/ui/webhooks/endpoints">Add an endpoint</a></span>
      </div>
      ${endpointTable(world.webhook_endpoints.list())}
    </section>
    ${testEventSection(visit, refused)}
    <section class="card" id="deliveries">
      <h2>Latest deliveries</h2>
      ${deliveryTable(world, world.webhook_deliveries.list(), true)}
    </section>`;
  return portalPage(visit, { title: 'Overview', body, status: refused ? 400 : 200 });
}

function endpointTable(endpoints: readonly Endpoint[]): Html {
  if (endpoints.length === 0)
    return html`<p class="faint">
      No endpoint yet. Events are told to every endpoint that wants to know of them.
    </p>`;
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Endpoint</th>
        <th scope="col">Events</th>
        <th scope="col">State</th>
      </tr>
    </thead>
    <tbody>
      ${endpoints.map(
        (endpoint) =>
          html`<tr>
            <td><a href="/ui/webhooks/endpoints/${endpoint.id}">${endpointName(endpoint)}</a></td>
            <td data-head="Events">${wants(endpoint)}</td>
            <td>${switchBadge(endpoint)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

const FEW = 3;

function wants({ event_types }: Endpoint): string {
  if (!event_types) return 'All';
  const more = event_types.length - FEW;
  return event_types.slice(0, FEW).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

export const switchBadge = ({ enabled }: Endpoint): Html =>
  enabled ? html`<span class="badge good">On</span>` : html`<span class="badge">Off</span>`;
