import { COLLECTIONS, TABLES, type Collection } from './schema.ts';
import type { RowBase } from '../rows/positions.ts';
import type { Table } from '../rows/table.ts';
import type { Tables } from './env.ts';

interface RowReference {
  collection: Collection;
  member: string;
  onDelete: 'cascade' | 'forget';
}

/** References to the rows of each collection. */
export const REFERENCES_TO = new Map<Collection, RowReference[]>(
  COLLECTIONS.map((collection) => [collection, []]),
);
for (const collection of COLLECTIONS) {
  for (const [member, { to, onDelete }] of Object.entries(TABLES[collection].references ?? {})) {
    if (onDelete !== 'keep') REFERENCES_TO.get(to)!.push({ collection, member, onDelete });
  }
}

/** The table of any collection, for code that works with rows of every type. */
export const anyTable = (tables: Tables, collection: Collection) =>
  tables[collection] as unknown as Table<RowBase & Record<string, unknown>>;

export const countRows = (tables: Tables): number =>
  COLLECTIONS.reduce((sum, collection) => sum + anyTable(tables, collection).count(), 0);

/** Removes a row. Rows that refer to it are removed or lose the reference, as their table spec says. */
export function removeRow(tables: Tables, collection: Collection, id: string): void {
  anyTable(tables, collection).remove(id);
  for (const { collection: from, member, onDelete } of REFERENCES_TO.get(collection)!) {
    for (const row of anyTable(tables, from).list(member, id)) {
      if (onDelete === 'cascade') removeRow(tables, from, row.id);
      else anyTable(tables, from).update(row.id, { [member]: withoutIds(row[member], new Set([id])) });
    }
  }
}

const withoutIds = (value: unknown, ids: ReadonlySet<unknown>) =>
  Array.isArray(value) ? value.filter((each) => !ids.has(each)) : undefined;

/** The row without its references to removed rows, as `removeRow` leaves it. */
export function withoutReferences(
  collection: Collection,
  row: RowBase,
  isGone: (collection: Collection, id: string) => boolean,
): object {
  const left: Record<string, unknown> = { ...row };
  for (const [member, { to, onDelete }] of Object.entries(TABLES[collection].references ?? {})) {
    if (onDelete !== 'forget') continue;
    const gone = [left[member]].flat().filter((id) => typeof id === 'string' && isGone(to, id));
    if (gone.length > 0) left[member] = withoutIds(left[member], new Set(gone));
    if (left[member] === undefined) delete left[member];
  }
  return left;
}

/** A member that refers to a missing row. */
export interface DanglingReference {
  member: string;
  reason: string;
}

export function danglingReferences(
  tables: Tables,
  collection: Collection,
  row: Record<string, unknown>,
): DanglingReference[] {
  return Object.entries(TABLES[collection].references ?? {}).flatMap(([member, { to, loose }]) => {
    if (loose) return [];
    const ids = [row[member]].flat().filter((id): id is string => typeof id === 'string');
    return ids
      .filter((id) => !tables[to].find(id))
      .map((id) => ({ member, reason: `names ${id}, and ${to} has no such row` }));
  });
}

export interface NamedRow {
  collection: Collection;
  id: string;
}

export interface Dependents {
  /** Rows that are deleted with the row. */
  deleted: NamedRow[];
  /** Rows that stay and lose a reference. */
  changed: NamedRow[];
}

/** What `removeRow` would do to other rows, in the order of the collections. */
export function dependentsOf(tables: Tables, collection: Collection, id: string): Dependents {
  const deleted = new Map<string, NamedRow>();
  const changed = new Map<string, NamedRow>();
  const visit = (row: NamedRow) => {
    if (deleted.has(keyOf(row))) return;
    deleted.set(keyOf(row), row);
    for (const { collection: from, member, onDelete } of REFERENCES_TO.get(row.collection)!) {
      for (const { id: referring } of anyTable(tables, from).list(member, row.id)) {
        const found = { collection: from, id: referring };
        if (onDelete === 'cascade') visit(found);
        else changed.set(keyOf(found), found);
      }
    }
  };
  visit({ collection, id });
  const rest = [...changed.values()].filter((row) => !deleted.has(keyOf(row)));
  deleted.delete(keyOf({ collection, id }));
  return { deleted: inOrder(deleted.values()), changed: inOrder(rest) };
}

const keyOf = ({ collection, id }: NamedRow) => `${collection} ${id}`;

const inOrder = (rows: Iterable<NamedRow>): NamedRow[] =>
  [...rows].toSorted((a, b) => COLLECTIONS.indexOf(a.collection) - COLLECTIONS.indexOf(b.collection));
