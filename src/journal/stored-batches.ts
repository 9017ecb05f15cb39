import type { CallBatch } from '../store/storage.ts';
import type { Entry } from './entry.ts';
import { entryOf, type StoredCall } from './stored-call.ts';

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
