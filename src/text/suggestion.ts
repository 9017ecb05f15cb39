import { closest, distance } from 'fastest-levenshtein';

/** `; did you mean X?`, or nothing when no name is reasonably near. */
export function suggest(word: string, names: readonly string[]): string {
  const near = nearest(word, names);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

const READABLE = 400;

/** As `suggest`; where no name is near, what names there are, or between which they lie. */
export function suggestAmong(word: string, names: readonly string[]): string {
  if (names.length === 0) return '; there is none';
  const near = suggest(word, names);
  if (near !== '') return near;
  // Of more names not even one letter each could be read.
  const all = names.length > READABLE ? '' : names.join(', ');
  return all !== '' && all.length <= READABLE
    ? `; there is ${all}`
    : `; there is ${names[0]} to ${names.at(-1)}`;
}

/** A longer word is no slip of a name. */
const LONGEST_WORD = 200;

/** A slip of the fingers first, then a name of which only a part was written, then anything alike. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  if (names.length === 0 || word.length > LONGEST_WORD) return undefined;
  const lower = word.toLowerCase();
  const most = Math.max(2, word.length / 3);
  const lowered = names.map((name) => name.toLowerCase());
  // Each slip changes the length by one at most.
  const alike = lowered.filter((name) => Math.abs(name.length - lower.length) <= most);
  const candidate = alike.length > 0 ? closest(lower, alike) : undefined;
  const slips = candidate === undefined ? Infinity : distance(lower, candidate);
  const partial = word.length < 4 ? -1 : lowered.findIndex((name) => name.includes(lower));
  if (slips > 2 && partial >= 0) return names[partial];
  return slips <= most ? names[lowered.indexOf(candidate!)] : undefined;
}

/** What is said of a value that is not in a list. */
export function oneOf(allowed: readonly unknown[], given: unknown): string {
  const names = allowed.map(String);
  const near = typeof given === 'string' ? suggest(given, names) : '';
  return near === '' ? `must be one of ${names.join(', ')}` : `unknown value ${String(given)}${near}`;
}
