import type { Rows } from '../../environment/rows/schema.ts';
import type { Tables } from '../../environment/env.ts';

type Event = Rows['events'];
type Settings = Pick<Tables, 'settings'>;

/** The event as the event list returns it. */
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

/** The event as webhooks send it. Receivers written after the vendor's first example read `event`. */
export const payloadOf = (tables: Settings, event: Event) => ({
  ...viewEvent(tables, event),
  event: event.type,
});

/** The payload of the latest attempt, which a scenario may have changed, or of the next one. */
export function sentPayload(
  tables: Pick<Tables, 'settings' | 'events'>,
  { event_id, attempts }: Rows['webhook_deliveries'],
): unknown {
  const changed = attempts.at(-1)?.payload;
  if (changed !== undefined) return changed;
  const event = tables.events.find(event_id);
  return event && payloadOf(tables, event);
}
