import { invalidArgument } from '../contract/errors.ts';
import { Bucket, positionList, type RowBase } from './positions.ts';
import type { Table } from './table.ts';

export interface PageRequest<T> {
  size: number;
  token?: string | undefined;
  order?: 'newest' | 'oldest';
  /** Only rows with this key of an index. */
  by?: readonly [index: string, key: string] | undefined;
  where?: ((row: T) => boolean) | undefined;
}

export interface Page<T> {
  rows: T[];
  next_page_token: string;
  prev_page_token: string;
  total_size: number;
}

type Direction = 'n' | 'p';

/**
 * One page of a table. A token names a gap between two rows and a direction, so it stays valid when rows or the page
 * size change. It is short because the vendor's API allows 32 characters.
 */
export function page<T extends RowBase>(table: Table<T>, request: PageRequest<T>): Page<T> {
  const { size } = request;
  const bucket = wantedRows(table, request);
  const newest = request.order !== 'oldest';
  const { direction, gap } = readToken(request.token);

  const walk = (forward: boolean, from?: number) =>
    forward === newest ? bucket.descending(from) : bucket.ascending(from === undefined ? from : from - 1);
  const hasRow = (forward: boolean, from: number) => firstOf(walk(forward, from), 1).length > 0;

  const found = firstOf(walk(direction === 'n', gap), size);
  if (direction === 'p') found.reverse();
  const { start, end } = gapsAround(found, newest) ?? { start: gap, end: gap };
  return {
    rows: found.map((at) => table.at(at)!),
    next_page_token: end !== undefined && hasRow(true, end) ? token('n', end) : '',
    prev_page_token: start !== undefined && hasRow(false, start) ? token('p', start) : '',
    total_size: bucket.size,
  };
}

/** One page of a plain list; tokens count from the start. */
export function pageOfList<T>(
  rows: readonly T[],
  { size, token: text }: { size: number; token?: string | undefined },
): Page<T> {
  const { direction, gap = 0 } = readToken(text);
  const from = Math.min(gap, rows.length);
  const start = direction === 'n' ? from : Math.max(0, from - size);
  const end = direction === 'n' ? Math.min(rows.length, start + size) : from;
  return {
    rows: rows.slice(start, end),
    next_page_token: end < rows.length ? token('n', end) : '',
    prev_page_token: start > 0 ? token('p', start) : '',
    total_size: rows.length,
  };
}

/** Gap 7 is below position 7. Undefined for an empty page, which keeps the gap of the request. */
function gapsAround(found: readonly number[], newest: boolean) {
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return newest ? { start: first + 1, end: last } : { start: first, end: last + 1 };
}

/** Each row is compared once, because the page needs the number of all that fit. */
function wantedRows<T extends RowBase>(table: Table<T>, { by, where }: PageRequest<T>): Bucket {
  const bucket = table.bucket(...(by ?? []));
  if (!where) return bucket;
  const positions: number[] = [];
  for (const position of bucket.ascending()) if (where(table.at(position)!)) positions.push(position);
  return new Bucket(positionList(positions), undefined);
}

function firstOf(positions: Iterable<number>, size: number): number[] {
  const taken: number[] = [];
  for (const position of positions) if (taken.push(position) === size) break;
  return taken;
}

const token = (direction: Direction, gap: number) =>
  Buffer.from(`${direction}:${gap.toString(36)}`).toString('base64url');

function readToken(text: string | undefined): { direction: Direction; gap?: number } {
  if (text === undefined || text === '') return { direction: 'n' };
  const plain = Buffer.from(text, 'base64url').toString();
  const [, direction, digits] = /^([np]):([0-9a-z]{1,10})$/.exec(plain) ?? [];
  const gap = Number.parseInt(digits ?? '', 36);
  if (direction === undefined || token(direction as Direction, gap) !== text) {
    throw invalidArgument('invalid page_token').because({
      kind: 'contract',
      says: 'The page_token is none that a page of this list has returned: leave it out for the first page',
    });
  }
  return { direction: direction as Direction, gap };
}
