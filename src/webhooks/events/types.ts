import { EVENT_OBJECTS } from '../../contract/events.gen.ts';
import type { EventObject, EventType } from '../../contract/types.ts';
import type { Rows } from '../../environment/rows/schema.ts';

/** The kind of object that the data of each type describes. */
const OBJECTS: Readonly<Record<EventType, EventObject>> = EVENT_OBJECTS;

export const EVENT_TYPES = Object.keys(OBJECTS) as EventType[];

export const isEventType = (type: string): type is EventType => Object.hasOwn(OBJECTS, type);

export const objectOf = (type: EventType): EventObject => OBJECTS[type];

const TITLES = new Map(EVENT_TYPES.map((type) => [type, wordsOf(type)]));

/** `organization.domain_created` is titled `Organization Domain Created`. */
export const titleOf = (type: EventType): string => TITLES.get(type)!;

function wordsOf(type: string): string {
  return type.replace(/(^|[._])([a-z])/g, (_, gap, first) => `${gap && ' '}${first.toUpperCase()}`);
}

/** `user.*` matches every type that starts with `user.`; an endpoint without a filter receives every type. */
export const listensTo = ({ enabled, event_types }: Rows['webhook_endpoints'], type: string): boolean =>
  enabled && (event_types === undefined || event_types.some((each) => covers(each, type)));

export const covers = (pattern: string, type: string) =>
  pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type;
