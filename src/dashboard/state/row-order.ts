import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { plainText } from '../../text/json.ts';
import { hasWords } from '../words.ts';

export type AnyRow = Record<string, unknown> & { id: string };

/** The column that orders the rows, and whether the last comes first. */
export interface SortOrder {
  by: string;
  isReversed: boolean;
}

/** Milliseconds of work after which the browser may draw. */
const SLICE = 8;
/** Rows between two checks of the time. */
const STEP = 250;

type Steps<T> = Generator<void, T>;

/** The rows that have the words, in order. A large collection keeps its last list until the next one is ready. */
export function useOrdered(
  rows: readonly AnyRow[],
  words: string,
  order: SortOrder | undefined,
): readonly AnyRow[] {
  const ordered = useSignal(rows);
  useEffect(
    () => runInSlices(filterAndSort(rows, words, order), (found) => (ordered.value = found)),
    [rows, words, order],
  );
  return ordered.value;
}

/** Does the first steps now and the others later. The returned function stops it. */
function runInSlices<T>(steps: Steps<T>, done: (result: T) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = () => {
    const end = performance.now() + SLICE;
    while (performance.now() < end) {
      const step = steps.next();
      if (step.done) return done(step.value);
    }
    timer = setTimeout(run);
  };
  run();
  return () => clearTimeout(timer);
}

function* filterAndSort(
  rows: readonly AnyRow[],
  words: string,
  order: SortOrder | undefined,
): Steps<readonly AnyRow[]> {
  const found = words === '' ? rows : yield* filter(rows, words);
  if (!order) return found;
  const sorted = yield* sort(found, order.by);
  return order.isReversed ? sorted.toReversed() : sorted;
}

function* filter(rows: readonly AnyRow[], words: string): Steps<AnyRow[]> {
  const found: AnyRow[] = [];
  for (const [index, row] of rows.entries()) {
    if (hasWords(JSON.stringify(row), words)) found.push(row);
    if (index % STEP === 0) yield;
  }
  return found;
}

interface KeyedRow {
  row: AnyRow;
  key: string;
}

const { compare } = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Merge sort, because `toSorted` cannot pause. */
function* sort(rows: readonly AnyRow[], by: string): Steps<AnyRow[]> {
  let runs: KeyedRow[][] = [];
  for (let start = 0; start < rows.length; start += STEP) {
    const run = rows.slice(start, start + STEP).map((row) => ({ row, key: plainText(row[by]) }));
    runs.push(run.toSorted((a, b) => compare(a.key, b.key)));
    yield;
  }
  while (runs.length > 1) {
    const merged: KeyedRow[][] = [];
    for (let index = 0; index < runs.length; index += 2)
      merged.push(yield* merge(runs[index]!, runs[index + 1] ?? []));
    runs = merged;
  }
  return (runs[0] ?? []).map(({ row }) => row);
}

function* merge(first: readonly KeyedRow[], second: readonly KeyedRow[]): Steps<KeyedRow[]> {
  const merged: KeyedRow[] = [];
  let [from, next] = [0, 0];
  while (from < first.length || next < second.length) {
    const isFirst =
      next === second.length || (from < first.length && compare(first[from]!.key, second[next]!.key) <= 0);
    merged.push(isFirst ? first[from++]! : second[next++]!);
    if (merged.length % STEP === 0) yield;
  }
  return merged;
}
