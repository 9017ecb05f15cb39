import { closest, distance } from 'fastest-levenshtein';
import { closestByWords, type AreAlike } from './name-words.ts';

/** `; did you mean X?`, or empty if no name is similar. */
export function suggest(word: string, names: readonly string[]): string {
  const near = nearest(word, names);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

/** All shipped scenarios fit. */
const MAX_LIST_LENGTH = 2000;

/** So many names are compared with a word. */
const MOST_COMPARED = 2000;
const MOST_ALIKE = 5;

/** Like `suggest`; without a similar name, lists the names, or of very many the most similar ones. */
export function suggestAmong(word: string, names: readonly string[]): string {
  if (names.length === 0) return '; there are none';
  const near = suggest(word, names);
  if (near !== '') return near;
  // So many names are not worth joining.
  const all = names.length > MAX_LIST_LENGTH ? '' : names.join(', ');
  if (all !== '' && all.length <= MAX_LIST_LENGTH) return `; known: ${all}`;
  if (names.length > MOST_COMPARED || word.length > LONGEST_WORD)
    return `; known: ${names[0]} to ${names.at(-1)}`;
  const steps = new Map(names.map((name) => [name, distance(word, name.slice(0, LONGEST_WORD))]));
  const alike = names.toSorted((one, other) => steps.get(one)! - steps.get(other)!).slice(0, MOST_ALIKE);
  return `; the most similar of ${names.length} are ${alike.join(', ')}`;
}

/** Longer words are not taken for misspelt names. */
const LONGEST_WORD = 200;

/** So few slips leave no doubt about which name of several words was meant. */
const LETTERS_FOR_EACH_SLIP = 8;

/** Prefers names with few slips, then names with the same words, then names that contain the word, then similar ones. */
export function nearest(word: string, names: readonly string[], areAlike?: AreAlike): string | undefined {
  if (names.length === 0 || word.length > LONGEST_WORD) return undefined;
  const lower = word.toLowerCase();
  const most = Math.max(2, word.length / 3);
  const lowered = names.map((name) => name.toLowerCase());
  if (names.length > MOST_COMPARED) return nearestOfMany(lower, names, lowered);
  // Each typing error changes the length by one at most.
  const alike = lowered.filter((name) => Math.abs(name.length - lower.length) <= most);
  const candidate = alike.length > 0 ? closest(lower, alike) : undefined;
  const slips = candidate === undefined ? Infinity : distance(lower, candidate);
  if (slips > Math.max(2, word.length / LETTERS_FOR_EACH_SLIP) && word.length > 3) {
    const found = closestByWords(word, names, areAlike);
    const place = placeOf(lower, lowered);
    if (found !== undefined || place >= 0) return found ?? names[place];
  }
  const isNear = slips <= 1 || (slips <= most && (word.length > 3 || hasLetters(lower, candidate!)));
  return isNear ? names[lowered.indexOf(candidate!)] : undefined;
}

/** One slip may change two neighbours. */
const MOST_CHANGED = 2;

/** Of very many names only those count that differ in one place, or that contain the word: the rest costs too much. */
function nearestOfMany(word: string, names: readonly string[], lowered: readonly string[]) {
  const alike = lowered.filter((name) => changedLetters(word, name) <= MOST_CHANGED);
  if (alike.length > 0) return names[lowered.indexOf(closest(word, alike.slice(0, MOST_COMPARED)))];
  return word.length > 3 ? names[placeOf(word, lowered)] : undefined;
}

/** The length of what is left of the longer text without the common beginning and end. */
function changedLetters(word: string, name: string): number {
  const [longer, shorter] = [Math.max(word.length, name.length), Math.min(word.length, name.length)];
  if (longer - shorter > MOST_CHANGED) return Infinity;
  let start = 0;
  while (start < shorter && word[start] === name[start]) start += 1;
  let end = 0;
  while (end < shorter - start && word[word.length - 1 - end] === name[name.length - 1 - end]) end += 1;
  return longer - start - end;
}

/** The first name that begins with the word, or else the first that contains it; -1: none. */
function placeOf(word: string, names: readonly string[]): number {
  const beginning = names.findIndex((name) => name.startsWith(word));
  return beginning >= 0 ? beginning : names.findIndex((name) => name.includes(word));
}

/** Two slips in a short word may be any word, unless its letters are all there: `rde` for `red`, but not `foo` for `sso`. */
const hasLetters = (word: string, name: string) => [...word].every((letter) => name.includes(letter));

/** The message for a value that is not in a list. */
export function oneOf(allowed: readonly unknown[], given: unknown): string {
  const names = allowed.map(String);
  const near = typeof given === 'string' ? suggest(given, names) : '';
  return near === ''
    ? `must be one of ${names.join(', ')}`
    : `unknown value ${shortened(String(given))}${near}`;
}

const MOST = 100;

/** A text for a message: its beginning if it is long. */
export const shortened = (text: string, most = MOST): string =>
  text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;

/** The same for a whole message: without its middle, because the reason may stand after a long value. */
export function withoutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = Math.floor(most / 4);
  return `${text.slice(0, most - last - 1)}…${text.slice(-last)}`.toWellFormed();
}
