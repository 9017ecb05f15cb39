import { MAX_DEPTH } from '../contract/body.ts';
import { endOfString, excessIn } from '@understudy/text/json';
import type { Path } from './path.ts';
import { TOO_DEEP, type ReadText, type TextFault } from './read-text.ts';
import type { Steps } from './steps.ts';

/** Objects, lists and their members; a rule has about ten. */
const MAX_VALUES = 120_000;

/** Undefined if the text is not JSON. JSON is YAML, too, but the YAML parser takes a hundred times as long. */
export function* readJson(text: string): Steps<ReadText | undefined> {
  const parsed = parse(text);
  yield;
  if (!parsed) return undefined;
  const { value } = parsed;
  const excess = findExcess(value);
  if (excess) return { value, faults: [{ offset: 0, message: excess }], offsetOf: () => 0 };
  yield;
  const faults = yield* findDuplicateKey(text);
  const positions = new Positions(text);
  return { value, faults, offsetOf: (path, part) => positions.offsetOf(path, part) };
}

/** The engine takes long for many levels. The YAML parser says where they begin. */
function parse(text: string): { value: unknown } | undefined {
  if (excessIn(text, MAX_DEPTH) === 'levels') return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined; // YAML, or invalid
  }
}

/** Why the value is too large to be looked at. */
function findExcess(whole: unknown): string | undefined {
  let values = 0;
  const rest = [{ value: whole, depth: 0 }];
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth === MAX_DEPTH) return TOO_DEEP;
    const members = Object.values(value) as unknown[];
    values += members.length;
    if (values > MAX_VALUES) return `has more than ${MAX_VALUES} values`;
    for (const member of members)
      if (typeof member === 'object') rest.push({ value: member, depth: depth + 1 });
  }
  return undefined;
}

function* findDuplicateKey(text: string): Steps<TextFault[]> {
  /** The keys so far of each open object. */
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '{' || character === '[') open.push(new Set());
    else if (character === '}' || character === ']') open.pop();
    if (character !== '"') continue;
    const offset = at;
    at = endOfString(text, offset);
    if (text[nextToken(text, at + 1)] !== ':') continue;
    const key = stringAt(text, offset);
    if (open.at(-1)!.has(key)) return [{ offset, message: `the key ${key} comes twice` }];
    open.at(-1)!.add(key);
    yield;
  }
  return [];
}

const stringAt = (text: string, offset: number) =>
  JSON.parse(text.slice(offset, endOfString(text, offset) + 1)) as string;

interface Member {
  /** The offset of its key; undefined in a list. */
  readonly key: number | undefined;
  readonly value: number;
}

/** Where the members of a valid text are. Each object or list is searched when it is first asked for. */
class Positions {
  readonly #text: string;
  readonly #known = new Map<number, ReadonlyMap<string | number, Member>>();

  constructor(text: string) {
    this.#text = text;
  }

  offsetOf(path: Path, part: 'key' | 'value'): number {
    let offset = nextToken(this.#text, 0);
    for (const [index, step] of path.entries()) {
      const member = this.#membersAt(offset).get(step);
      if (!member) return offset;
      offset = (part === 'key' && index === path.length - 1 ? member.key : undefined) ?? member.value;
    }
    return offset;
  }

  #membersAt(offset: number): ReadonlyMap<string | number, Member> {
    const members = this.#known.get(offset) ?? membersAt(this.#text, offset);
    this.#known.set(offset, members);
    return members;
  }
}

function membersAt(text: string, offset: number): Map<string | number, Member> {
  const members = new Map<string | number, Member>();
  const isObject = text[offset] === '{';
  if (!isObject && text[offset] !== '[') return members;
  for (let at = nextToken(text, offset + 1); text[at] !== '}' && text[at] !== ']';) {
    const key = isObject ? at : undefined;
    const value = isObject ? nextToken(text, nextToken(text, endOfString(text, at) + 1) + 1) : at;
    members.set(key === undefined ? members.size : stringAt(text, key), { key, value });
    at = nextToken(text, endOfValue(text, value));
    if (text[at] === ',') at = nextToken(text, at + 1);
  }
  return members;
}

/** The next place that is no space. */
function nextToken(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= SPACE) at += 1;
  return at;
}

const SPACE = 0x20;

/** The place after a value of a valid text. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth < 0 || (depth === 0 && ',}]"'.includes(character)))
      return character === ',' || depth < 0 ? at : at + 1;
  }
  return text.length;
}
