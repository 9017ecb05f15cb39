import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { beginningOf } from '../well-formed.ts';

/**
 * Clients take 8192 bytes of trailers (Java's gRPC by default, that of Python about as much), and HTTP/2 itself breaks off
 * over many more. A failure is told within that; the journal has all of it.
 */
const MOST_OF_MESSAGE = 1500; // percent-encoded; it is in the details a second time
const MOST_OF_DETAILS = 3000; // as JSON, which is larger than a message of it and smaller than its base64

/** What is kept, in turns until it is little enough: characters of a text, members of a list. */
const TURNS = [
  { text: 500, members: 15 },
  { text: 100, members: 8 },
  { text: 20, members: 3 },
] as const;

type Turn = (typeof TURNS)[number];

/** JSON may have a surrogate alone, which UTF-8 and a trailer can not. */
const HALF_A_LETTER = /\p{Surrogate}/gu;

export function shortMessage(message: string): string {
  const text = message.replace(HALF_A_LETTER, '\ufffd');
  if (text.length * 9 <= MOST_OF_MESSAGE) return text; // as long as a letter can get
  let size = 0;
  let length = 0;
  for (const letter of text) {
    size += encodeURIComponent(letter).length;
    if (size > MOST_OF_MESSAGE) return `${text.slice(0, length)}…`;
    length += letter.length;
  }
  return text;
}

/** The ErrorInfos of a failure. */
export function shortDetails(infos: readonly JsonObject[]): readonly JsonObject[] {
  const isShort = (each: readonly JsonObject[]) => Buffer.byteLength(JSON.stringify(each)) <= MOST_OF_DETAILS;
  if (isShort(infos)) return infos;
  const turns = TURNS.map((turn) => infos.slice(0, turn.members).map((info) => shortened(info, turn)));
  return turns.find(isShort) ?? [];
}

function shortened<T extends JsonValue>(value: T, turn: Turn): T;
function shortened(value: JsonValue, turn: Turn): JsonValue {
  if (typeof value === 'string')
    return value.length > turn.text ? `${beginningOf(value, turn.text)}…` : value;
  if (Array.isArray(value)) return value.slice(0, turn.members).map((each) => shortened(each, turn));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, shortened(member, turn)] as const);
  return Object.fromEntries(members);
}
