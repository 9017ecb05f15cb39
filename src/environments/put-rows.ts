import type { RowBase } from '../world/seed.ts';
import type { Table } from '../world/table.ts';

/** Lets the table have these rows alone, in this order. */
export function putRows<T extends RowBase>(table: Table<T>, rows: readonly T[]): void {
  const wanted = new Set(rows.map(({ id }) => id));
  for (const { id } of table.list()) if (!wanted.has(id)) table.remove(id);
  const isWhole = table.count() === rows.length;
  // One that comes back comes last: with it come all, so that they are in order again.
  if (!isWhole) for (const { id } of table.list()) table.remove(id);
  for (const row of rows) {
    if (!isWhole) table.insert(row);
    else if (table.find(row.id) !== row) table.replace(row);
  }
}
