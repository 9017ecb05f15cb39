import { JsonPlaces } from './json-places.ts';
import type { Path } from './path.ts';

/** A mistake in a text, and where it begins. */
export interface TextFault {
  offset: number;
  message: string;
}

/** Objects, lists and all that is in them: a rule has about ten. */
const MOST_VALUES = 120_000;

/** What a text says, and where each member of it stands. */
export interface ReadText {
  readonly value: unknown;
  readonly faults: readonly TextFault[];
  /** Offset of a member; of the last one on the way to it when it is not there. */
  offsetOf(path: Path, part: 'key' | 'value'): number;
}

/** The text as JSON; undefined when it is none. JSON is YAML too, but reading it so takes a hundred times as long. */
export function readJson(text: string): ReadText | undefined {
  const parsed = parse(text);
  if (!parsed) return undefined;
  const { value } = parsed;
  const places = new JsonPlaces(text);
  const { keys, values } = count(value);
  const isWhole = places.countKeys() === keys;
  const tooMany = { offset: 0, message: `has more than ${MOST_VALUES} values` };
  return {
    value,
    faults: values > MOST_VALUES ? [tooMany] : isWhole ? [] : findTwice(places),
    offsetOf: (path, part) => offsetOf(path, part, places),
  };
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined; // YAML, or nothing that can be read
  }
}

/** Of a key that comes twice in an object, only one is left in the value. */
function count(value: unknown): { keys: number; values: number } {
  let [keys, values] = [0, 0];
  const rest = [value];
  while (rest.length > 0 && values <= MOST_VALUES) {
    const next = rest.pop();
    if (typeof next !== 'object' || next === null) continue;
    const members = Object.values(next);
    if (!Array.isArray(next)) keys += members.length;
    values += members.length;
    for (const member of members) if (typeof member === 'object') rest.push(member);
  }
  return { keys, values };
}

function findTwice(places: JsonPlaces): TextFault[] {
  const rest = [places.root];
  while (rest.length > 0) {
    const at = rest.pop()!;
    for (const element of places.elements(at)) rest.push(element);
    for (const [name, [first, again]] of places.members(at)) {
      if (again) return [{ offset: again.key, message: `the key ${name} comes twice` }];
      rest.push(first!.value);
    }
  }
  return [];
}

function offsetOf(path: Path, part: 'key' | 'value', places: JsonPlaces): number {
  let at = places.root;
  for (const [index, step] of path.entries()) {
    const isWanted = part === 'key' && index === path.length - 1;
    const member = typeof step === 'string' ? places.members(at).get(step)?.[0] : undefined;
    const value = member?.value ?? (typeof step === 'number' ? places.elements(at)[step] : undefined);
    if (value === undefined) return at;
    at = isWanted && member ? member.key : value;
  }
  return at;
}
