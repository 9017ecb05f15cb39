import { setImmediate as nextTurn } from 'node:timers/promises';
import { searchedTexts, textOfCause } from '../journal/entry-view.ts';
import type { Entry } from '../journal/entry.ts';
import { uptime } from '../state/clock.ts';
import { searchFor } from '@understudy/text/words';

type SortedBy = 'time' | 'duration' | 'status' | 'method' | 'path' | 'operation';

interface RequestSearch {
  isWanted: (entry: Entry) => boolean;
  /** Words that the texts of a call have. */
  contains: string | undefined;
  /** Undefined: oldest first, and the latest ones. */
  order: { by: SortedBy; isReversed: boolean } | undefined;
  limit: number;
  /** Whether secrets are replaced, so that no search finds them. */
  redacts: boolean;
  signal: AbortSignal;
}

interface FoundRequests {
  found: readonly Entry[];
  /** All calls that match, whatever the limit, oldest first. */
  matching: readonly Entry[];
}

/** Milliseconds of searching, after which other calls are served. */
const TURN = 5;

/** Reads a long journal in turns with other calls. */
export async function searchRequests(
  entries: readonly Entry[],
  { isWanted, contains = '', order, limit, redacts, signal }: RequestSearch,
): Promise<FoundRequests> {
  const hasWords = textTest(contains, redacts);
  const matching: Entry[] = [];
  let begun = uptime();
  for (const entry of entries) {
    if (isWanted(entry) && hasWords(entry)) matching.push(entry);
    if (uptime() - begun < TURN) continue;
    await nextTurn();
    if (signal.aborted) break;
    begun = uptime();
  }
  const found = order ? ordered(matching, order).slice(0, limit) : latest(matching, limit);
  return { found, matching };
}

const latest = (entries: readonly Entry[], limit: number) => (limit === 0 ? [] : entries.slice(-limit));

/** The text as it is stored is cheap to read. Only a call that has the words is looked at without its secrets. */
function textTest(contains: string, redacts: boolean): (entry: Entry) => boolean {
  if (contains.trim() === '') return () => true;
  const hasWords = searchFor(contains);
  return (entry) => {
    const stored = storedText(entry);
    return hasWords(stored) && (!redacts || hasWords(shownText(entry, stored)));
  };
}

/** What is shown of complete calls. Undefined: the text as it is stored, because it has no secrets. */
const SHOWN = new WeakMap<Entry, string | undefined>();

/** Looking for secrets takes most of the time of a search, so it is done once for each call. */
function shownText(entry: Entry, stored: string): string {
  if (SHOWN.has(entry)) return SHOWN.get(entry) ?? stored;
  const { path, texts } = searchedTexts(entry);
  const shown = [...factsOf(entry, path), ...texts.map(textOf)].join('\n');
  if (entry.isClosed) SHOWN.set(entry, shown === stored ? undefined : shown);
  return shown;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function storedText(entry: Entry): string {
  const { query, body, replyText, notes, cause, unread } = entry;
  const error = cause === undefined ? undefined : textOfCause(cause);
  const texts = [query, body, replyText, notes, error, unread];
  return [...factsOf(entry, entry.path), ...texts.map(textOf)].join('\n');
}

const factsOf = ({ id, protocol, method, operation, status, decision, caller }: Entry, path: string) => [
  id,
  protocol,
  method,
  path,
  operation,
  status,
  decision?.rule?.name,
  ...Object.values(caller ?? {}),
];

function ordered(
  entries: readonly Entry[],
  { by, isReversed }: NonNullable<RequestSearch['order']>,
): readonly Entry[] {
  const sign = isReversed ? -1 : 1;
  return entries
    .map((entry) => ({ entry, key: keyOf(entry, by) }))
    .toSorted((a, b) => compare(a.key, b.key, sign) || b.entry.number - a.entry.number)
    .map(({ entry }) => entry);
}

function keyOf(entry: Entry, by: SortedBy): string | number | undefined {
  if (by === 'time') return entry.number;
  if (by === 'duration') return entry.isClosed ? entry.duration : undefined;
  return entry[by];
}

/** What has no value comes last in both directions. */
function compare(a: string | number | undefined, b: string | number | undefined, sign: number): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a < b ? -sign : sign;
}
