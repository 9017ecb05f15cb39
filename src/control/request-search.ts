import { setImmediate as nextTurn } from 'node:timers/promises';
import { textOfCause, viewEntry } from '../journal/entry-view.ts';
import type { Entry } from '../journal/entry.ts';
import { uptime } from '../state/clock.ts';
import { searchFor } from '../text/words.ts';

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
  /** How many calls match, whatever the limit. */
  total: number;
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
  return { found, total: matching.length };
}

const latest = (entries: readonly Entry[], limit: number) => (limit === 0 ? [] : entries.slice(-limit));

/** The text as it is stored is cheap to read. Only a call that has the words is looked at without its secrets. */
function textTest(contains: string, redacts: boolean): (entry: Entry) => boolean {
  if (contains.trim() === '') return () => true;
  const hasWords = searchFor(contains);
  return (entry) => hasWords(storedText(entry)) && (!redacts || hasWords(shownText(entry)));
}

function storedText(entry: Entry): string {
  const { query, body, unread, replyText, cause } = entry;
  return [
    ...factsOf(entry, entry.path),
    JSON.stringify(query),
    JSON.stringify(body),
    unread,
    replyText,
    ...entry.notes,
    cause === undefined ? undefined : textOfCause(cause),
  ].join('\n');
}

function shownText(entry: Entry): string {
  const { path, request, response, notes, error } = viewEntry(entry, { environment: '', redact: true });
  const { query, body, unread } = request as Record<string, unknown>;
  const texts = [query, body, unread, (response as Record<string, unknown>)['body'], notes, error];
  return [...factsOf(entry, path as string), ...texts.map((each) => JSON.stringify(each))].join('\n');
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
