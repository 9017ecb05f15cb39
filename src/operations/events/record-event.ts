import type { Rows } from '../../world/schema.ts';
import type { World } from '../../world/world.ts';

type Event = Rows['events'];

/** Keeps that something happened, now. */
export function recordEvent(world: World, event: Omit<Event, 'id' | 'occurred_at' | 'source'>): Event {
  return world.events.insert({
    ...event,
    id: world.draw.id('evt'),
    occurred_at: world.clock.iso(),
    source: event.type.startsWith('organization.directory.') ? 'DIR_SYNC' : 'SCALEKIT',
  });
}
