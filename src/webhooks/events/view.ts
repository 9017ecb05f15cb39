import type { Rows } from '../../environment/rows/schema.ts';
import type { Tables } from '../../environment/env.ts';

type Event = Rows['events'];
type Settings = Pick<Tables, 'settings'>;

/** The event as lists tell it. */
export function viewEvent({ settings }: Settings, event: Event) {
  const { id, type, occurred_at, organization_id, object, data, display_name = '' } = event;
  return {
    spec_version: '1',
    id,
    type,
    occurred_at,
    environment_id: settings.get('settings').environment_id,
    ...(organization_id && { organization_id }),
    object,
    data,
    display_name,
  };
}

/** The event as webhooks tell it. Receivers that were written by the service's first example look at `event`. */
export const payloadOf = (tables: Settings, event: Event) => ({
  ...viewEvent(tables, event),
  event: event.type,
});

/** What the latest attempt of a delivery has sent, or the next one will. A scenario may have changed it on the way. */
export function sentPayload(
  tables: Pick<Tables, 'settings' | 'events'>,
  { event_id, attempts }: Rows['webhook_deliveries'],
): unknown {
  const changed = attempts.at(-1)?.payload;
  if (changed !== undefined) return changed;
  const event = tables.events.find(event_id);
  return event && payloadOf(tables, event);
}
