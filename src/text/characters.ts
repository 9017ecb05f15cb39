/** Inclusive ranges of code units, ascending and disjoint. */
export type Characters = readonly (readonly [number, number])[];

/** The last code unit, and the last code point. */
export const LAST_UNIT = 0xffff;
export const LAST_CHARACTER = 0x10ffff;

export const one = (unit: number): Characters => [[unit, unit]];

export const EVERYTHING: Characters = [[0, LAST_UNIT]];

/** Code points beyond single code units. */
export const BEYOND: Characters = [[LAST_UNIT + 1, LAST_CHARACTER]];

export function union(...sets: readonly Characters[]): Characters {
  const ranges = sets.flat().toSorted((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const [from, to] of ranges) {
    const last = merged.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

export function complement(set: Characters, last = LAST_UNIT): Characters {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) gaps.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= last) gaps.push([next, last]);
  return gaps;
}

const DIGITS: Characters = [[0x30, 0x39]];
const WORDS = union(DIGITS, [[0x41, 0x5a]], one(0x5f), [[0x61, 0x7a]]);
/** WhiteSpace and LineTerminator of ECMAScript. */
const SPACES = union(
  [[0x09, 0x0d]],
  ...[0x20, 0xa0, 0x1680, 0x202f, 0x205f, 0x3000, 0xfeff].map(one),
  [[0x2000, 0x200a]],
  [[0x2028, 0x2029]],
);
const LINE_ENDS = union(one(0x0a), one(0x0d), [[0x2028, 0x2029]]);

/** `.` without the flag s. */
export const INSIDE_LINES = complement(LINE_ENDS);

/** By the letter of the escape. */
export const CLASSES: Readonly<Record<string, Characters | undefined>> = {
  d: DIGITS,
  D: complement(DIGITS),
  w: WORDS,
  W: complement(WORDS),
  s: SPACES,
  S: complement(SPACES),
};

/** Adds all case variants, as ECMAScript compares without the flag u. */
export function inAnyCase(set: Characters): Characters {
  const { units, alike } = (cases ??= readCases());
  const found = new Set<number>();
  for (const [from, to] of set)
    for (let at = placeOf(from, units); at < units.length && units[at]! <= to; at += 1)
      for (const other of alike.get(units[at]!)!) found.add(other);
  return found.size === 0 ? set : union(set, ...Array.from(found, one));
}

interface Cases {
  /** Units with a case variant, ascending. */
  units: readonly number[];
  /** The case variants of each unit, itself included. */
  alike: ReadonlyMap<number, readonly number[]>;
}

let cases: Cases | undefined;

function readCases(): Cases {
  const byCanonical = new Map<number, number[]>();
  for (let unit = 0; unit <= LAST_UNIT; unit += 1) {
    const target = canonical(unit);
    if (target === unit) continue;
    const known = byCanonical.get(target);
    if (known) known.push(unit);
    else byCanonical.set(target, [target, unit]);
  }
  const alike = new Map([...byCanonical.values()].flatMap((all) => all.map((unit) => [unit, all] as const)));
  return { units: [...alike.keys()].toSorted((a, b) => a - b), alike };
}

/** ECMAScript 22.2.2.7.3. */
function canonical(unit: number): number {
  const upper = String.fromCharCode(unit).toUpperCase();
  const target = upper.charCodeAt(0);
  return upper.length !== 1 || (unit >= 128 && target < 128) ? unit : target;
}

/** The index of the first unit that is not smaller. */
function placeOf(unit: number, units: readonly number[]): number {
  let [low, high] = [0, units.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (units[middle]! < unit) low = middle + 1;
    else high = middle;
  }
  return low;
}
