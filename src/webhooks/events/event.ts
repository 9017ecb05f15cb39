import { isDeepStrictEqual } from 'node:util';
import { EVENT_OBJECTS } from '../../contract/events.gen.ts';
import type { EventObject, EventType, EventData } from '../../contract/types.ts';
import type { Rows, Collection } from '../../state/env.ts';
import type { Env, Tables, RowChange } from '../../state/env.ts';
import { withoutReferences, anyTable } from '../../state/schema.ts';

/** The kind of object that the data of each type describes. */
const OBJECTS: Readonly<Record<EventType, EventObject>> = EVENT_OBJECTS;

export const EVENT_TYPES = Object.keys(OBJECTS) as EventType[];

export const isEventType = (type: string): type is EventType => Object.hasOwn(OBJECTS, type);

/** `organization.domain_created` is titled `Organization Domain Created`. */
function titleOf(type: string): string {
  return type.replace(/(^|[._])([a-z])/g, (_, gap, first) => `${gap && ' '}${first.toUpperCase()}`);
}

/** `user.*` matches every type that starts with `user.`; an endpoint without a filter receives every type. */
export const listensTo = ({ enabled, event_types }: Rows['webhook_endpoints'], type: string): boolean =>
  enabled && (event_types === undefined || event_types.some((each) => covers(each, type)));

export const covers = (pattern: string, type: string) =>
  pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type;

type Event = Rows['events'];

/** References by which the event list can be filtered. */
export type EventReferences = Partial<
  Pick<Event, 'organization_id' | 'auth_request_id' | 'connection_id' | 'connected_account_id'>
>;

/** An event that is not recorded yet. */
export type NewEvent = {
  [T in EventType]: EventReferences & { type: T; data: EventData<T> };
}[EventType];

/**
 * Records the event with the current time and queues deliveries to the endpoints that listen to its type. `name` is the
 * type that receivers see.
 */
export function recordEvent(env: Env, wanted: NewEvent, name: string = wanted.type): Event {
  const { type } = wanted;
  const event = env.events.insert({
    id: env.draw.id('evt'),
    occurred_at: env.clock.iso(),
    source: type.startsWith('organization.directory.') ? 'DIR_SYNC' : 'SCALEKIT',
    object: OBJECTS[type],
    // In the vendor's OpenAPI document most connected_account events have no display_name.
    ...(!type.startsWith('connected_account.') && { display_name: titleOf(name) }),
    ...wanted,
    type: name,
  });
  for (const endpoint of env.webhook_endpoints.list())
    if (listensTo(endpoint, name)) queueDelivery(env, endpoint.id, event);
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

/** One row before and after a unit of work. */
export interface ChangeOf<C extends Collection> {
  before: Rows[C] | undefined;
  after: Rows[C] | undefined;
}

/** The changes of a unit of work; deleted rows can still be read. */
export class UnitChanges {
  readonly env: Env;
  readonly #before: ReadonlyMap<string, RowChange>;

  constructor(env: Env, changes: readonly RowChange[]) {
    this.env = env;
    this.#before = new Map(changes.map((change) => [`${change.collection} ${change.id}`, change]));
  }

  /** The row as it is now, or as it was before this unit of work deleted it. */
  find<C extends Collection>(collection: C, id: string | undefined): Rows[C] | undefined {
    if (id === undefined) return undefined;
    const there = anyTable(this.env, collection).find(id) as Rows[C] | undefined;
    return there ?? (this.#before.get(`${collection} ${id}`)?.before as Rows[C] | undefined);
  }

  changed<C extends Collection>(collection: C): ChangeOf<C>[] {
    const all = [...this.#before.values()].filter((change) => change.collection === collection);
    return all as unknown as ChangeOf<C>[];
  }

  /** Whether this unit of work created the row. */
  created(collection: Collection, id: string): boolean {
    const change = this.#before.get(`${collection} ${id}`);
    return change?.before === undefined && change?.after !== undefined;
  }

  /** Whether this unit of work deleted the row; rows deleted in the same cascade cause no events of their own. */
  removed(collection: Collection, id: string | undefined): boolean {
    const change = this.#before.get(`${collection} ${id}`);
    return change?.before !== undefined && change.after === undefined;
  }

  /** False for a row that changed only because it referred to a deleted row, unless it left a deleted group. */
  isDirectChange({ collection, before, after }: RowChange): boolean {
    if (!before || !after) return before !== after;
    if (collection === 'directory_users') return true;
    return !isDeepStrictEqual(
      withoutReferences(collection, before, (...row) => this.removed(...row)),
      after,
    );
  }
}

/** Undefined if the change is not visible in `shown`. */
export function verbOf<R>(
  { before, after }: { before: R | undefined; after: R | undefined },
  shown: (row: R) => unknown,
): 'created' | 'updated' | 'deleted' | undefined {
  if (!after) return before && 'deleted';
  if (!before) return 'created';
  return isDeepStrictEqual(shown(before), shown(after)) ? undefined : 'updated';
}
