import type { Tables } from '../env.ts';
import { anyTable, REFERENCES_TO } from './cascade.ts';
import { COLLECTIONS, type Collection } from './schema.ts';

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
