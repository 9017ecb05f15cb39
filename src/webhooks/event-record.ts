import type { EventData, EventType } from '../contract/types.ts';
import type { Env } from '../environment/env.ts';
import type { Rows } from '../environment/rows/schema.ts';
import { listensTo, objectOf, titleOf } from './events/types.ts';

type Event = Rows['events'];

/** References by which the event list can be filtered. */
export type EventReferences = Partial<
  Pick<Event, 'organization_id' | 'auth_request_id' | 'connection_id' | 'connected_account_id'>
>;

/** An event that is not recorded yet. */
export type NewEvent = {
  [T in EventType]: EventReferences & { type: T; data: EventData<T> };
}[EventType];

/** Records the event with the current time and queues deliveries to the endpoints that listen to its type. */
export function recordEvent(env: Env, happening: NewEvent): Event {
  const { type } = happening;
  const event = env.events.insert({
    id: env.draw.id('evt'),
    occurred_at: env.clock.iso(),
    source: type.startsWith('organization.directory.') ? 'DIR_SYNC' : 'SCALEKIT',
    object: objectOf(type),
    // In the vendor's OpenAPI document most connected_account events have no display_name.
    ...(!type.startsWith('connected_account.') && { display_name: titleOf(type) }),
    ...happening,
  });
  for (const endpoint of env.webhook_endpoints.list())
    if (listensTo(endpoint, type)) queueDelivery(env, endpoint.id, event);
  return event;
}

/** The delivery is sent after the unit of work is committed. */
function queueDelivery(env: Env, endpoint_id: string, event: Event): Rows['webhook_deliveries'] {
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
