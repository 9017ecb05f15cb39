import type { components } from '../contract/openapi.gen.ts';
import { page } from '../rows/page.ts';
import { invalidArgument } from '../contract/errors.ts';
import { recordEvent, type NewEvent, isEventType, viewEvent } from '../webhooks/events/event.ts';
import { EVENT_EXAMPLES } from '../contract/events.gen.ts';
import type { EventData, EventType, Input } from '../contract/types.ts';
import { withEnvironmentName } from '@understudy/text/issued-code';
import type { Env, Rows } from '../state/env.ts';
import { blocked } from './blocked.ts';
import type { Operations } from './handler.ts';
import { isBetweenTimes, listing } from './lists.ts';

type Event = Rows['events'];
type Filter = components['schemas']['EventFilter'];

/** Filters by a field of the row, most selective first: the first given one decides which index is read. */
const EXACT = [
  'connected_account_id',
  'auth_request_id',
  'interceptor_id',
  'connection_id',
  'organization_id',
  'interceptor_status',
  'interceptor_decision',
] as const;

export const events = {
  EventsService_ListEvents({ query, body }, env) {
    return listEvents(env, query, body);
  },

  EventsService_ListEventsPaginated({ query, body }, env) {
    const { total_size: _, ...listed } = listEvents(env, query, body);
    return listed;
  },

  /** Unverified (events/custom-events): webhooks do not send these events, and their data is of no kind of object. */
  EventsService_SendCustomEvent({ path, body }, env) {
    env.decidedBy('events/custom-events');
    const { organization_id } = env.caller ?? {};
    const { id } = env.events.insert({
      id: env.draw.id('evt'),
      type: path.event_type,
      occurred_at: env.clock.iso(),
      ...(organization_id && { organization_id }),
      object: 'JSON',
      source: 'SCALEKIT',
      data: body,
    });
    return { event_id: id };
  },
} satisfies Partial<Operations>;

type Paging = Input<'EventsService_ListEvents'>['query'];

function listEvents(env: Env, paging: Paging, filter: Filter = {}) {
  const { start_time, end_time } = filter;
  if (start_time && end_time && Date.parse(start_time) > Date.parse(end_time))
    throw invalidArgument(`start_time ${start_time} is after end_time ${end_time}`);
  const { rows, ...rest } = page(env.events, {
    ...listing(paging, env),
    by: narrowest(filter),
    where: matching(filter),
  });
  return { ...rest, events: rows.map((event) => viewEvent(env, event)) };
}

function narrowest(filter: Filter): readonly [string, string] | undefined {
  const { event_types: [type, ...others] = [] } = filter;
  const member = EXACT.slice(0, 5).find((each) => filter[each]);
  if (member) return [member, filter[member]!];
  return type !== undefined && others.length === 0 ? ['type', type] : undefined;
}

/** undefined: every event matches. */
function matching(filter: Filter): ((event: Event) => boolean) | undefined {
  const { event_types = [], start_time, end_time, source = 'SOURCE_UNSPECIFIED' } = filter;
  const exact = EXACT.filter((member) => filter[member]);
  const isAny = source === 'SOURCE_UNSPECIFIED';
  if (event_types.length + exact.length === 0 && !start_time && !end_time && isAny) return undefined;
  const happened = isBetweenTimes(start_time, end_time);
  return (event) =>
    (event_types.length === 0 || event_types.includes(event.type)) &&
    (isAny || event.source === source) &&
    happened(event.occurred_at) &&
    exact.every((member) => event[member] === filter[member]);
}

export const webhooks = {
  WebhookService_GetPortalURL(_, env) {
    // Unverified (webhooks/portal-address): the service's own portal is hosted by its delivery provider, with a token
    // in the address.
    env.decidedBy('webhooks/portal-address');
    return { url: `${env.baseUrl}/webhooks/portal/${makeLink(env).token}` };
  },

  WebhookService_SendTestEvent({ path }, env) {
    const { event_type } = path;
    const { environment_id } = env.settings.get('settings');
    // Unverified (webhooks/unknown-test-event): only known event types can be sent.
    if (!isEventType(event_type))
      throw invalidArgument(`event type ${event_type} is not known`).decidedBy('webhooks/unknown-test-event');
    const event = recordEvent(env, sampleEvent(event_type, env.clock.iso(), environment_id));
    return { event_type, event_payload: viewEvent(env, event) };
  },

  WebhookService_SendWebhookEvent: blocked,
} satisfies Partial<Operations>;

type Examples = {
  readonly [T in EventType]: { occurred_at: string; organization_id?: string; data: EventData<T> };
};

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

const moved = (time: string, by: number) => new Date(Date.parse(time) + by).toISOString();

let examples: Examples | undefined;

/** An event with the data of the contract's example, as if it happened now in this environment. */
export function sampleEvent(type: EventType, time: string, environment_id: string): NewEvent {
  examples ??= JSON.parse(EVENT_EXAMPLES) as Examples;
  const { occurred_at, organization_id, data } = examples[type];
  const by = Date.parse(time) - Date.parse(occurred_at);
  return {
    type,
    data: JSON.parse(JSON.stringify(data), (key, value: unknown) => {
      if (key === 'environment_id') return environment_id;
      return typeof value === 'string' && TIME.test(value) ? moved(value, by) : value;
    }),
    ...(organization_id !== undefined && { organization_id }),
    // The build pairs each type with its data, which the compiler cannot see.
  } as NewEvent;
}

const DAY = 86_400_000;
/**
 * Unverified (webhooks/portal-link-lifetime): the docs give no lifetime. Seven days is the default of the service's
 * delivery provider.
 */
const PORTAL_LINK_LIFETIME = 7 * DAY;

const makeLink = (env: Env): Rows['webhook_portal_links'] =>
  env.webhook_portal_links.insert({
    id: env.draw.id('whl'),
    token: withEnvironmentName(env, env.draw.uuid()),
    created_at: env.clock.iso(),
    expires_at: env.clock.after(PORTAL_LINK_LIFETIME),
  });
