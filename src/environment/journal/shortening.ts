import { beginningOf } from '../../text/well-formed.ts';

/** Of a body as it was sent, in bytes; of a longer one, only the beginning is kept. */
export const LARGEST_BODY = 32_768;

/** As much of a JSON value as there is room for; what is left out is counted where it was. */
export function shorten(value: unknown): unknown {
  return take(value, { left: LARGEST_BODY });
}

interface Room {
  left: number;
}

/** What a value takes beside its texts: names, commas and brackets. */
const LEAST = 8;

function take(value: unknown, room: Room): unknown {
  room.left -= LEAST;
  if (typeof value === 'string') return takeText(value, room);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value)
    ? takeElements(value, room)
    : takeMembers(value as Record<string, unknown>, room);
}

function takeElements(list: readonly unknown[], room: Room): unknown[] {
  const taken: unknown[] = [];
  while (taken.length < list.length && room.left > 0) taken.push(take(list[taken.length], room));
  const more = list.length - taken.length;
  return more > 0 ? [...taken, `… ${more} more elements`] : taken;
}

function takeMembers(object: Record<string, unknown>, room: Room): Record<string, unknown> {
  const taken: [string, unknown][] = [];
  const names = Object.keys(object);
  for (const name of names) {
    if (room.left <= 0) break;
    room.left -= name.length;
    taken.push([name, take(object[name], room)]);
  }
  const more = names.length - taken.length;
  return Object.fromEntries(more > 0 ? [...taken, ['…', `${more} more members`]] : taken);
}

function takeText(text: string, room: Room): string {
  const kept = beginningOf(text, Math.max(room.left, 0));
  room.left -= kept.length;
  return kept.length < text.length ? `${kept}… ${text.length - kept.length} more characters` : text;
}
