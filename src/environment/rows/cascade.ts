import { COLLECTIONS, TABLES, type Collection } from './schema.ts';
import type { RowBase } from './table-seed.ts';
import type { Table } from './table.ts';
import type { Tables } from '../env.ts';

interface Naming {
  collection: Collection;
  member: string;
  onDelete: 'cascade' | 'forget';
}

/** Who names the rows of a collection. */
const NAMED_BY = new Map<Collection, Naming[]>(COLLECTIONS.map((collection) => [collection, []]));
for (const collection of COLLECTIONS) {
  for (const [member, { to, onDelete }] of Object.entries(TABLES[collection].references ?? {})) {
    if (onDelete !== 'keep') NAMED_BY.get(to)!.push({ collection, member, onDelete });
  }
}

/** Any table as one of plain rows: what is done to all of them knows no row type. */
export const plain = (tables: Tables, collection: Collection) =>
  tables[collection] as unknown as Table<RowBase & Record<string, unknown>>;

/** Takes a row away. Rows that name it go with it or forget it, as their table's references say. */
export function removeRow(tables: Tables, collection: Collection, id: string): void {
  plain(tables, collection).remove(id);
  for (const { collection: from, member, onDelete } of NAMED_BY.get(collection)!) {
    for (const row of plain(tables, from).list(member, id)) {
      if (onDelete === 'cascade') removeRow(tables, from, row.id);
      else plain(tables, from).update(row.id, { [member]: forgotten(row[member], id) });
    }
  }
}

const forgotten = (value: unknown, id: string) =>
  Array.isArray(value) ? value.filter((each) => each !== id) : undefined;

/** The row as `removeRow` leaves it when these rows go that it names and forgets. */
export function forgetting(
  collection: Collection,
  row: RowBase,
  isGone: (collection: Collection, id: string) => boolean,
): object {
  const left: Record<string, unknown> = { ...row };
  for (const [member, { to, onDelete }] of Object.entries(TABLES[collection].references ?? {})) {
    if (onDelete !== 'forget') continue;
    const gone = [left[member]].flat().filter((id) => typeof id === 'string' && isGone(to, id));
    for (const id of gone) left[member] = forgotten(left[member], id as string);
    if (left[member] === undefined) delete left[member];
  }
  return left;
}

/** A member that names a row which is not there. */
export interface DanglingReference {
  member: string;
  reason: string;
}

/** Members that name a row which is not there. */
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
