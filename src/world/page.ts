import { invalidArgument } from '../errors.ts';
import type { RowBase } from './seed.ts';
import type { Table } from './table.ts';

export interface PageRequest<T> {
  size: number;
  token?: string | undefined;
  order?: 'newest' | 'oldest';
  /** Narrows the list to one key of an index. */
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
 * One page of a table. A token names the row beside the page and the direction, so it stays good when rows come and go
 * and when the page size changes; it is short, because the service answers at most 32 characters.
 */
export function page<T extends RowBase>(table: Table<T>, request: PageRequest<T>): Page<T> {
  const { size, where, by = [] } = request;
  const bucket = table.bucket(...by);
  const newest = request.order !== 'oldest';
  const { direction, position } = readToken(request.token);

  const walk = (forward: boolean, from?: number) =>
    forward === newest ? bucket.descending(from) : bucket.ascending(from);
  const some = (forward: boolean, from: number) => take(table, walk(forward, from), 1, where).length > 0;

  const found = take(table, walk(direction === 'n', position), size, where);
  if (direction === 'p') found.reverse();
  const first = found[0] ?? position;
  const last = found.at(-1) ?? position;
  return {
    rows: found.map((at) => table.at(at)!),
    next_page_token: last !== undefined && some(true, last) ? token('n', last) : '',
    prev_page_token: first !== undefined && some(false, first) ? token('p', first) : '',
    total_size: where ? count(table, bucket.ascending(), where) : bucket.size,
  };
}

function take<T extends RowBase>(
  table: Table<T>,
  positions: Iterable<number>,
  size: number,
  where?: (row: T) => boolean,
): number[] {
  const taken: number[] = [];
  for (const position of positions) {
    if (where && !where(table.at(position)!)) continue;
    if (taken.push(position) === size) break;
  }
  return taken;
}

function count<T extends RowBase>(table: Table<T>, positions: Iterable<number>, where: (row: T) => boolean) {
  let total = 0;
  for (const position of positions) if (where(table.at(position)!)) total += 1;
  return total;
}

const token = (direction: Direction, position: number) =>
  Buffer.from(`${direction}:${position.toString(36)}`).toString('base64url');

function readToken(text: string | undefined): { direction: Direction; position?: number } {
  if (text === undefined || text === '') return { direction: 'n' };
  const plain = Buffer.from(text, 'base64url').toString();
  const [, direction, digits] = /^([np]):([0-9a-z]{1,10})$/.exec(plain) ?? [];
  const position = Number.parseInt(digits ?? '', 36);
  if (direction === undefined || token(direction as Direction, position) !== text) {
    throw invalidArgument('invalid page_token');
  }
  return { direction: direction as Direction, position };
}
