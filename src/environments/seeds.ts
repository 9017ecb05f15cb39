import type { Collections } from '../store/change-log.ts';
import { COLLECTIONS, TABLES } from '../world/schema.ts';
import { TableSeed, type Indexes, type RowBase } from '../world/seed.ts';
import { Table, type Recorder, type TableShape } from '../world/table.ts';
import type { Tables } from '../world/world.ts';
import { dueOf, type Due } from './agenda.ts';

/** Frozen rows that any number of worlds start from, and what time will change in them. */
export class Seed {
  readonly #tables: Record<string, TableSeed<RowBase>>;
  #due: readonly Due[] | undefined;

  constructor(rows: Collections) {
    this.#tables = Object.fromEntries(
      COLLECTIONS.map((collection) => {
        const indexes = TABLES[collection].indexes as Indexes<RowBase>;
        return [collection, new TableSeed<RowBase>(rows[collection] ?? [], indexes)];
      }),
    );
  }

  get due(): readonly Due[] {
    return (this.#due ??= dueOf(this.tables(() => {})));
  }

  /** Tables of a new world: empty of changes, whatever the size of the seed. */
  tables(record: Recorder): Tables {
    const tables = COLLECTIONS.map((collection) => {
      const shape = TABLES[collection] as unknown as TableShape<RowBase>;
      return [collection, new Table<RowBase>(shape, this.#tables[collection]!, record)];
    });
    return Object.fromEntries(tables) as never;
  }
}
