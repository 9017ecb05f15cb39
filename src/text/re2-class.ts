import type { Characters } from './characters.ts';

/** RE2 works on code points, so a lone surrogate becomes a code point for private use. */
const SHIFT = 0x100000 - 0xd800;
const HALVES = [0xd800, 0xdfff] as const;

/** The RE2 class of these code units or code points. */
export function classOf(set: Characters, isWhole = false): string {
  if (set.length === 0) return '[^\\x{0}-\\x{10FFFF}]';
  return `[${(isWhole ? set : set.flatMap(apart)).map(rangeOf).join('')}]`;
}

/** Moves surrogates to private code points. */
function apart([from, to]: readonly [number, number]): [number, number][] {
  const [first, last] = HALVES;
  const parts: [number, number][] = [];
  if (from < first) parts.push([from, Math.min(to, first - 1)]);
  if (to >= first && from <= last) parts.push([Math.max(from, first) + SHIFT, Math.min(to, last) + SHIFT]);
  if (to > last) parts.push([Math.max(from, last + 1), to]);
  return parts;
}

const rangeOf = ([from, to]: Characters[number]) => (from === to ? hex(from) : `${hex(from)}-${hex(to)}`);

const hex = (code: number) => `\\x{${code.toString(16)}}`;

/** The text in the form that translated expressions match. */
export const inHalves = (text: string): string =>
  /[\ud800-\udfff]/.test(text)
    ? text.replace(/[\ud800-\udfff]/g, (half) => String.fromCodePoint(half.charCodeAt(0) + SHIFT))
    : text;

/** A valid expression that cannot be matched in linear time. */
export class NotLinear extends Error {
  /** The offset of the construct. */
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

const LOOKING: readonly (readonly [start: string, name: string])[] = [
  ['(?=', 'a look-ahead'],
  ['(?!', 'a look-ahead'],
  ['(?<=', 'a look-behind'],
  ['(?<!', 'a look-behind'],
];

/** What kind of group starts here. */
export function lookAroundAt(text: string): string {
  const [start, name] = LOOKING.find(([each]) => text.startsWith(each)) ?? ['(?', 'a group with flags'];
  return `has ${name}: ${start}`;
}
