import { StreamReply } from './handler.ts';
import type { RowBase } from '../rows/positions.ts';
import type { Table } from '../rows/table.ts';
import { runInTurns, type Steps } from '../scenarios/steps.ts';
import { plainText } from '@understudy/text/json';
import { searchFor } from '@understudy/text/words';
import { PIECE, rowsInPieces } from './row-pieces.ts';

type ListedRow = RowBase & Record<string, unknown>;

/** Which rows of a collection a call lists, and in which order. */
interface RowListQuery {
  /** Words that the JSON of a row has. */
  contains?: string;
  /** Values of members, compared as JSON. */
  where?: Readonly<Record<string, unknown>>;
  /** The member that orders the rows. */
  sort?: string;
  reverse?: boolean;
  limit?: number;
  offset?: number;
}

/** A page of rows, and the number of rows on all pages. */
interface RowList {
  rows: ListedRow[];
  total: number;
}

export async function listRows(table: Table<ListedRow>, query: RowListQuery): Promise<RowList> {
  const { contains = '', where = {}, sort, reverse = false, limit = Infinity, offset = 0 } = query;
  if (contains.trim() === '' && sort === undefined && Object.keys(where).length === 0) {
    const { size } = table.bucket();
    return { rows: rowsInOrderOfCreation(table, reverse, offset, offset + limit), total: size };
  }
  const found = await searchedRows(table, { contains, where, sort, reverse });
  return { rows: found.slice(offset, offset + limit), total: found.length };
}

/** Reads no row that it does not return. */
function rowsInOrderOfCreation(
  table: Table<ListedRow>,
  isReversed: boolean,
  start: number,
  end: number,
): ListedRow[] {
  const bucket = table.bucket();
  const rows: ListedRow[] = [];
  let index = 0;
  for (const position of isReversed ? bucket.descending() : bucket.ascending()) {
    if (index >= end) break;
    if (index >= start) rows.push(table.at(position)!);
    index += 1;
  }
  return rows;
}

interface Search {
  contains: string;
  where: Readonly<Record<string, unknown>>;
  sort: string | undefined;
  reverse: boolean;
}

interface SearchResult {
  key: string;
  /** All rows of the table at that time. */
  rows: readonly ListedRow[];
  found: readonly ListedRow[];
}

/** The latest result for each table: whoever reads a page soon reads the next one. */
const latest = new WeakMap<Table<ListedRow>, SearchResult>();

async function searchedRows(table: Table<ListedRow>, search: Search): Promise<readonly ListedRow[]> {
  const key = JSON.stringify(search);
  const rows = table.list();
  const known = latest.get(table);
  if (known?.key === key && areSame(known.rows, rows)) return known.found;
  const found = ordered(await runInTurns(fitting(rows, search)), search);
  latest.set(table, { key, rows, found });
  return found;
}

/** Other calls are served in between. The rows are those of one moment. */
function* fitting(rows: readonly ListedRow[], { contains, where }: Search): Steps<readonly ListedRow[]> {
  const wanted = Object.entries(where).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const isFound = searchFor(contains);
  const found: ListedRow[] = [];
  for (const row of rows) {
    const isWanted = wanted.every(([name, json]) => JSON.stringify(row[name]) === json);
    if (isWanted && (!contains || isFound(JSON.stringify(row)))) found.push(row);
    yield;
  }
  return found;
}

/** A changed row is another object. */
const areSame = (some: readonly ListedRow[], others: readonly ListedRow[]) =>
  some.length === others.length && some.every((row, index) => row === others[index]);

function ordered(rows: readonly ListedRow[], { sort, reverse }: Search): readonly ListedRow[] {
  if (sort === undefined) return reverse ? rows.toReversed() : rows;
  const keyed = rows.map((row) => ({ row, key: Object.hasOwn(row, sort) ? sortKey(row[sort]) : undefined }));
  return keyed.toSorted((a, b) => compare(a.key, b.key, reverse)).map(({ row }) => row);
}

/** Longer than any number in an id. */
const DIGITS = 24;

/** Padded numbers make `org_2` come before `org_10`. One comparison of plain texts is much faster than a collator. */
function sortKey(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return plainText(value)
    .toLowerCase()
    .replaceAll(/\d+/g, (digits) => digits.padStart(DIGITS, '0'));
}

/** Rows without the member come last in both directions. */
function compare(a: string | undefined, b: string | undefined, isReversed: boolean): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a < b === isReversed ? 1 : -1;
}

/** A long list of rows is written piece by piece. */
export const listReply = (list: RowList): RowList | StreamReply =>
  list.rows.length > PIECE ? new StreamReply('application/json', listInPieces(list)) : list;

async function* listInPieces({ rows, total }: RowList): AsyncGenerator<string> {
  yield '{"rows":[';
  yield* rowsInPieces(rows, (row) => row);
  yield `],"total":${total}}`;
}
