import type { Characters } from './characters.ts';

/** RE2 knows whole characters; a half of a pair of UTF-16 stands there as a character that nobody uses. */
const SHIFT = 0x100000 - 0xd800;
const HALVES = [0xd800, 0xdfff] as const;

/** The class of these code units, or of whole characters. */
export function classOf(set: Characters, isWhole = false): string {
  if (set.length === 0) return '[^\\x{0}-\\x{10FFFF}]';
  return `[${(isWhole ? set : set.flatMap(apart)).map(rangeOf).join('')}]`;
}

/** Halves of pairs apart from all others. */
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

/** A text as the translated expressions look at it. */
export const inHalves = (text: string): string =>
  /[\ud800-\udfff]/.test(text)
    ? text.replace(/[\ud800-\udfff]/g, (half) => String.fromCodePoint(half.charCodeAt(0) + SHIFT))
    : text;
