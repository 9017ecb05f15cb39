import type { EventData, EventType } from '../contract/types.ts';
import type { Env } from '../environment/env.ts';
import type { Rows } from '../environment/rows/schema.ts';
import { listensTo, objectOf, titleOf } from './events/types.ts';

type Event = Rows['events'];

/** By what else an event can be found in the list. */
export type Traces = Partial<
  Pick<Event, 'organization_id' | 'auth_request_id' | 'connection_id' | 'connected_account_id'>
>;

/** What happened: an event that has not been written down yet. */
export type Happening = {
  [T in EventType]: Traces & { type: T; data: EventData<T> };
}[EventType];

/** Writes down that it happened, now, and has it sent to whoever listens. */
export function recordEvent(env: Env, happening: Happening): Event {
  const { type } = happening;
  const event = env.events.insert({
    id: env.draw.id('evt'),
    occurred_at: env.clock.iso(),
    source: type.startsWith('organization.directory.') ? 'DIR_SYNC' : 'SCALEKIT',
    object: objectOf(type),
    // Most events of connected accounts have no title (reference: accounts-connections-events 5.1).
    ...(!type.startsWith('connected_account.') && { display_name: titleOf(type) }),
    ...happening,
  });
  for (const endpoint of env.webhook_endpoints.list())
    if (listensTo(endpoint, type)) queueDelivery(env, endpoint.id, event);
  return event;
}

/** It is made once this unit of work stands. */
export function queueDelivery(env: Env, endpoint_id: string, event: Event): Rows['webhook_deliveries'] {
  return env.webhook_deliveries.insert({
    id: env.draw.id('msg'),
    endpoint_id,
    event_id: event.id,
    event_type: event.type,
    status: 'QUEUED',
    attempts: [],
    created_at: env.clock.iso(),
  });
}
