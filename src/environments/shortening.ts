import { beginningOf } from '../well-formed.ts';

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
  const taken: [string, unknown][] = [];
  const members = Object.entries(value);
  for (const [name, member] of members) {
    if (room.left <= 0) break;
    if (!Array.isArray(value)) room.left -= name.length;
    taken.push([name, take(member, room)]);
  }
  const more = members.length - taken.length;
  if (Array.isArray(value)) {
    const elements = taken.map(([, element]) => element);
    return more > 0 ? [...elements, `… ${more} more elements`] : elements;
  }
  return Object.fromEntries(more > 0 ? [...taken, ['…', `${more} more members`]] : taken);
}

function takeText(text: string, room: Room): string {
  const kept = beginningOf(text, Math.max(room.left, 0));
  room.left -= kept.length;
  return kept.length < text.length ? `${kept}… ${text.length - kept.length} more characters` : text;
}
