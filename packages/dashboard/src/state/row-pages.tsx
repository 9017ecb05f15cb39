import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Collection } from '@understudy/client/control';
import { useData } from '../data.ts';
import { environment } from '../session.ts';

export type AnyRow = Record<string, unknown> & { id: string };

/** Which rows the reader wants, and in which order. */
interface RowSearch {
  words: string;
  /** Without a member: the order in which the rows were created. */
  sort: string | undefined;
  isReversed: boolean;
}

interface RowPages {
  /** A hole for each row that is not read yet. Undefined until the first page is read. */
  rows: readonly (AnyRow | undefined)[] | undefined;
  /** The rows are those of the last search. */
  isOld: boolean;
  error: string | undefined;
  /** Reads the rows between two places of the list. */
  show: (first: number, end: number) => void;
}

/** Rows in one call. */
const PAGE = 100;
/** In milliseconds: who drags the scroll bar passes many pages that need not be read. */
const CALM = 80;

/** The rows of a large collection, of which only the pages in view are read. */
export function useRowPages(collection: string, search: RowSearch): RowPages {
  const inView = useSignal<readonly number[]>([0]);
  const key = JSON.stringify([collection, search]);
  const load = () => readPages(collection, search, inView.peek());
  const { value, error, reload } = useData(load, ['state', 'snapshot'], key);
  // While a new search runs, the rows of the last one stay.
  const last = useRef(value);
  last.current = value ?? last.current;
  const isMissing = value !== undefined && inView.value.some((page) => !value.pages.has(page));
  useEffect(() => {
    if (!isMissing) return undefined;
    const timer = setTimeout(reload, CALM);
    return () => clearTimeout(timer);
  }, [isMissing, inView.value]);
  const show = (first: number, end: number) => {
    const wanted = pagesBetween(first, end);
    if (wanted.join() !== inView.peek().join()) inView.value = wanted;
  };
  const shown = last.current;
  const rows = useMemo(() => shown && rowsOf(shown), [shown]);
  return { rows, isOld: value === undefined && error === undefined, error, show };
}

interface ReadPages {
  total: number;
  pages: ReadonlyMap<number, readonly AnyRow[]>;
}

async function readPages(
  collection: string,
  { words, sort, isReversed }: RowSearch,
  numbers: readonly number[],
): Promise<ReadPages> {
  const query = {
    ...(words !== '' && { contains: words }),
    ...(sort !== undefined && { sort }),
    ...(isReversed && { reverse: true }),
    limit: PAGE,
  };
  const { state } = environment.value;
  const read = await Promise.all(
    numbers.map((number) => state.page(collection as Collection, { ...query, offset: number * PAGE })),
  );
  const pages = read.map(({ rows }, index) => [numbers[index]!, rows as readonly AnyRow[]] as const);
  return { total: read.at(-1)?.total ?? 0, pages: new Map(pages) };
}

function pagesBetween(first: number, end: number): number[] {
  const [from, to] = [Math.floor(first / PAGE), Math.floor(Math.max(first, end - 1) / PAGE)];
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function rowsOf({ total, pages }: ReadPages): (AnyRow | undefined)[] {
  const rows: (AnyRow | undefined)[] = [];
  rows.length = total;
  for (const [number, page] of pages)
    for (const [index, row] of page.entries())
      if (number * PAGE + index < total) rows[number * PAGE + index] = row;
  return rows;
}

export interface SortOrder {
  /** The member that orders the rows; undefined: the order in which they were created. */
  by: string | undefined;
  isReversed: boolean;
}

interface SortingProps {
  columns: readonly string[];
  /** Undefined: oldest first. */
  order: SortOrder | undefined;
  change: (order: SortOrder | undefined) => void;
}

/** Each press on a column: ascending, descending, oldest first. */
export const Sorting = ({ columns, ...props }: SortingProps) => (
  <div class="sorting" role="group" aria-label="Sort by">
    <NewestFirst {...props} />
    {columns.map((name) => (
      <Column key={name} name={name} {...props} />
    ))}
  </div>
);

function NewestFirst({ order, change }: Omit<SortingProps, 'columns'>) {
  const isPressed = order !== undefined && order.by === undefined;
  return (
    <button
      type="button"
      aria-pressed={isPressed}
      onClick={() => change(isPressed ? undefined : { by: undefined, isReversed: true })}
    >
      newest first
    </button>
  );
}

function Column({ name, order, change }: Omit<SortingProps, 'columns'> & { name: string }) {
  const current = order?.by === name ? order : undefined;
  const direction = current ? (current.isReversed ? ', descending' : ', ascending') : '';
  const next = current?.isReversed ? undefined : { by: name, isReversed: current !== undefined };
  return (
    <button
      type="button"
      aria-pressed={current !== undefined}
      aria-label={`Sort by ${name}${direction}`}
      onClick={() => change(next)}
    >
      {name} {current ? (current.isReversed ? '↓' : '↑') : ''}
    </button>
  );
}
