import type { Rows } from '@understudy/core/state/env';
import { invalidArgument } from '@understudy/core/contract/errors';
import { form, select, switchBadge } from '@understudy/core/pages/controls';
import { html, labelled, table, type Html } from '@understudy/core/pages/html';
import { recordEvent, EVENT_TYPES, isEventType, listensTo } from '@understudy/core/webhooks/events/event';
import type { CustomReply, Operations } from '@understudy/core/operations/handler';
import { sampleEvent } from '@understudy/core/operations/events';
import { catchRefusal, problemOf, type FormProblem } from '../portal.ts';
import { deliveryTable, endpointName } from './delivery-pages.ts';
import { portalPage, type Visit, redirectTo, withSubmittedForm, withVisit } from './visit.ts';

type Endpoint = Rows['webhook_endpoints'];

export const overviewPages = {
  WebhookPortal_Show({ cookies }, env) {
    return withVisit(env, cookies, (visit) => overview(visit));
  },

  WebhookPortal_SendTestEvent({ cookies, body = {} }, env) {
    return withSubmittedForm(env, cookies, body, (visit) =>
      catchRefusal(
        () => sendTestEvent(visit, body.event_type),
        (refusal) => overview(visit, { problem: problemOf(refusal, {}), filled: body }),
      ),
    );
  },
} satisfies Partial<Operations>;

function sendTestEvent(visit: Visit, type = ''): CustomReply {
  const { env } = visit;
  if (!isEventType(type)) throw invalidArgument(`event type ${type} is not known`);
  recordEvent(env, sampleEvent(type, env.clock.iso(), env.settings.get('settings').environment_id));
  const count = env.webhook_endpoints.list().filter((endpoint) => listensTo(endpoint, type)).length;
  return redirectTo(visit, '', { told: 'sent', about: type, count });
}

function overview(visit: Visit, refused?: Parameters<typeof testEventSection>[1]): CustomReply {
  const { env } = visit;
  const body = html`<section class="card" id="endpoints">
      <div class="bar">
        <h1>Endpoints</h1>
        <span class="actions"><a class="button" href="/ui/webhooks/endpoints">Add an endpoint</a></span>
      </div>
      ${endpointTable(env.webhook_endpoints.list())}
    </section>
    ${testEventSection(visit, refused)}
    <section class="card" id="deliveries">
      <h2>Latest deliveries</h2>
      ${deliveryTable(env, env.webhook_deliveries.list(), true)}
    </section>`;
  return portalPage(visit, { title: 'Overview', body, status: refused ? 400 : 200 });
}

function endpointTable(endpoints: readonly Endpoint[]): Html {
  if (endpoints.length === 0)
    return html`<p class="faint">No endpoint yet. Every endpoint receives the events that it selects.</p>`;
  return table(
    ['Endpoint', 'Events', 'State'],
    endpoints.map((endpoint) => [
      html`<a href="/ui/webhooks/endpoints/${endpoint.id}">${endpointName(endpoint)}</a>`,
      labelled(eventTypesText(endpoint)),
      switchBadge(endpoint),
    ]),
  );
}

const FEW = 3;

function eventTypesText({ event_types }: Endpoint): string {
  if (!event_types) return 'All';
  const more = event_types.length - FEW;
  return event_types.slice(0, FEW).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

interface RejectedTestEvent {
  problem: FormProblem;
  filled: { event_type?: string };
}

/** A form that emits an event with made-up data. */
function testEventSection({ env, session }: Visit, refused?: RejectedTestEvent): Html {
  const endpoints = env.webhook_endpoints.list();
  const option = (type: string) => {
    const count = endpoints.filter((endpoint) => listensTo(endpoint, type)).length;
    return [type, count === 0 ? `${type} (no endpoint receives it)` : type] as const;
  };
  const content = html`${select({
      name: 'event_type',
      label: 'Type',
      options: EVENT_TYPES.map(option),
      value: refused?.filled.event_type,
      hint: 'The event has made-up data. It appears in the list of events and is sent to every endpoint that selects it.',
      ...(refused && { problem: refused.problem.text }),
    })}<button class="quiet">Send test event</button>`;
  return html`<section class="card" id="test">
    <h2>Send a test event</h2>
    ${form({ action: '/ui/webhooks/test-events', csrf_token: session.csrf_token, content })}
  </section>`;
}
