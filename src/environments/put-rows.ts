import { plain } from '../world/cascade.ts';
import type { Collection } from '../world/schema.ts';
import type { Tables, World } from '../world/world.ts';

/** Lets a table have the rows of another time alone, in their order. */
export function putRows(world: World, then: Tables, collection: Collection): void {
  const [table, rows] = [plain(world, collection), plain(then, collection).list()];
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
