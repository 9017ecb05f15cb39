import type { RowBase } from '../rows/positions.ts';
import type { Table } from '../rows/table.ts';
import { plainText } from '../text/json.ts';
import { searchFor } from '../text/words.ts';

type Row = RowBase & Record<string, unknown>;

/** Which rows of a collection a call lists, and in which order. */
export interface RowListQuery {
  /** Words that the JSON of a row has. */
  contains?: string;
  /** The member that orders the rows. */
  sort?: string;
  reverse?: boolean;
  limit?: number;
  offset?: number;
}

/** A page of rows, and the number of rows on all pages. */
export function listRows(table: Table<Row>, query: RowListQuery) {
  const { contains = '', sort, reverse = false, limit = Infinity, offset = 0 } = query;
  if (contains.trim() === '' && sort === undefined) {
    const { size } = table.bucket();
    return { rows: rowsInOrderOfCreation(table, reverse, offset, offset + limit), total: size };
  }
  const found = searchedRows(table, { contains, sort, reverse });
  return { rows: found.slice(offset, offset + limit), total: found.length };
}

/** Reads no row that it does not return. */
function rowsInOrderOfCreation(table: Table<Row>, isReversed: boolean, start: number, end: number): Row[] {
  const bucket = table.bucket();
  const rows: Row[] = [];
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
  sort: string | undefined;
  reverse: boolean;
}

interface SearchResult {
  key: string;
  /** All rows of the table at that time. */
  rows: readonly Row[];
  found: readonly Row[];
}

/** The latest result for each table: whoever reads a page soon reads the next one. */
const latest = new WeakMap<Table<Row>, SearchResult>();

function searchedRows(table: Table<Row>, search: Search): readonly Row[] {
  const key = JSON.stringify(search);
  const rows = table.list();
  const known = latest.get(table);
  if (known?.key === key && areSame(known.rows, rows)) return known.found;
  const isFound = searchFor(search.contains);
  const matching = search.contains ? rows.filter((row) => isFound(JSON.stringify(row))) : rows;
  const found = ordered(matching, search);
  latest.set(table, { key, rows, found });
  return found;
}

/** A changed row is another object. */
const areSame = (some: readonly Row[], others: readonly Row[]) =>
  some.length === others.length && some.every((row, index) => row === others[index]);

function ordered(rows: readonly Row[], { sort, reverse }: Search): readonly Row[] {
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
