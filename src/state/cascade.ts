import { References, type AnyTables, type DanglingReference } from '../rows/references.ts';
import type { RowBase } from '../rows/positions.ts';
import type { Tables, Collection } from './env.ts';
import { COLLECTIONS, TABLES } from './schema.ts';

const references = new References<Collection>(TABLES);

const anyTables = (tables: Tables) => tables as unknown as AnyTables<Collection>;

/** The table of any collection, for code that works with rows of every type. */
export const anyTable = (tables: Tables, collection: Collection) => anyTables(tables)[collection];

export const countRows = (tables: Tables): number =>
  COLLECTIONS.reduce((sum, collection) => sum + anyTable(tables, collection).count(), 0);

/** Removes a row. Rows that refer to it are removed or lose the reference, as their table spec says. */
export const removeRow = (tables: Tables, collection: Collection, id: string): void =>
  references.remove(anyTables(tables), collection, id);

/** The row without its references to removed rows, as `removeRow` leaves it. */
export const withoutReferences = (
  collection: Collection,
  row: RowBase,
  isGone: (collection: Collection, id: string) => boolean,
): object => references.without(collection, row, isGone);

export const danglingReferences = (
  tables: Tables,
  collection: Collection,
  row: Record<string, unknown>,
): DanglingReference[] => references.dangling(anyTables(tables), collection, row);
