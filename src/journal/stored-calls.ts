import type { DecisionView } from '../scenarios/decision.ts';
import { decidedBefore, Entry } from './entry.ts';
import { textOfCause } from './entry-view.ts';
import { Redaction } from './redaction.ts';
import type { CallBatch } from '../store/storage.ts';

/** A complete call, as the store keeps it: with its secrets, like the rows. */
interface StoredCall extends Pick<Entry, StoredField> {
  changes?: Entry['changes'];
  violations?: Entry['violations'];
  unknown?: { field: string; name: string }[];
  interceptors?: Entry['interceptors'];
  calls?: readonly string[];
  notes?: readonly string[];
  rules?: Entry['rules'];
  providers?: Entry['providers'];
  /** Without secrets. */
  decision?: object;
  cause?: string;
}

/** Plain data. JSON leaves out those that are undefined. */
const FIELDS = [
  'number',
  'time',
  'protocol',
  'method',
  'path',
  'madeBy',
  'query',
  'headers',
  'requestSize',
  'operation',
  'binding',
  'caller',
  'body',
  'unread',
  'response',
  'refusal',
  'fault',
  'shortPatch',
  'status',
  'replyHeaders',
  'replyText',
  'replySize',
  'violated',
  'duration',
  'size',
  'began',
] as const;

type StoredField = (typeof FIELDS)[number];

/** As JSON. */
export function storedTextOf(entry: Entry): string {
  const { changes, violations, unknown, interceptors, calls, providers, notes, rules, decision, cause } =
    entry;
  const stored: Record<string, unknown> = {};
  for (const field of FIELDS) stored[field] = entry[field];
  const lists = { changes, violations, interceptors, calls, providers, notes, rules };
  for (const [name, list] of Object.entries(lists)) if (list.length > 0) stored[name] = list;
  if (unknown.length > 0) stored['unknown'] = unknown.map(({ field, name }) => ({ field, name }));
  if (decision) {
    const { headers, query, body } = entry;
    stored['decision'] = decision.view(new Redaction({ headers, query, body }).value);
  }
  if (cause !== undefined) stored['cause'] = textOfCause(cause);
  return JSON.stringify(stored);
}

/** A call of another process. */
export const entryIn = (text: string): Entry => entryOf(JSON.parse(text) as StoredCall);

/** A call of an earlier process. */
function entryOf(stored: StoredCall): Entry {
  const { decision, cause, unknown = [], madeBy, ...found } = stored;
  const request = {
    ...found,
    body: undefined,
    size: found.requestSize,
    ...(madeBy !== undefined && { madeBy }),
  };
  const entry = new Entry(found.number, found.time, request, () => {});
  Object.assign(entry, found, { isClosed: true, isStored: true });
  entry.unknown = unknown.map((field) => ({ ...field, known: () => [] }));
  if (decision) entry.decision = decidedBefore(decision as DecisionView);
  if (cause !== undefined) entry.cause = Object.assign(new Error(cause), { stack: cause });
  return entry;
}

/** Where a journal is, whatever calls it has. */
export interface JournalPosition {
  /** The number of the next call. */
  next: number;
  /** The number of the oldest call that the journal has. */
  oldest: number;
  /** The number of the latest call that was dropped to keep the limits; 0: none. */
  evicted: number;
}

/** A batch as the store has it. The latest one says where the journal continues. */
interface StoredBatch extends JournalPosition {
  /** The largest number of a call that had arrived. */
  last: number;
  /** Earlier batches do not count. */
  replaces: boolean;
  calls: StoredCall[];
}

interface BatchOptions {
  replaces: boolean;
  /** How many numbers calls may get before the next batch is stored. */
  reserved: number;
}

/** `calls`: each one as JSON. */
export function batchOf(
  { next, oldest, evicted }: JournalPosition,
  calls: readonly string[],
  { replaces, reserved }: BatchOptions,
): CallBatch {
  const last = next - 1;
  const head = JSON.stringify({ next: next + reserved, last, oldest, evicted, replaces });
  return { text: `${head.slice(0, -1)},"calls":[${calls.join(',')}]}`, last, oldest, replaces };
}

export interface RestoredJournal extends Pick<JournalPosition, 'next' | 'evicted'> {
  /** In order of number. */
  entries: Entry[];
}

/** Undefined if nothing is stored. */
export function readJournal(texts: readonly string[]): RestoredJournal | undefined {
  const batches = texts.map((text) => JSON.parse(text) as StoredBatch);
  const latest = batches.at(-1);
  if (!latest) return undefined;
  const first = batches.findLastIndex(({ replaces }) => replaces);
  // A batch that was written twice, because its first answer was lost, has the same calls.
  const calls = new Map<number, StoredCall>();
  for (const batch of batches.slice(Math.max(0, first)))
    for (const call of batch.calls) if (call.number >= latest.oldest) calls.set(call.number, call);
  const { next, evicted } = latest;
  const inOrder = [...calls.values()].toSorted((a, b) => a.number - b.number);
  return { next, evicted, entries: inOrder.map(entryOf) };
}
