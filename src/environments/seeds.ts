import type { Collections, Row } from '../store/change-log.ts';
import { plain } from '../world/cascade.ts';
import type { Layer } from '../world/layer.ts';
import { COLLECTIONS, TABLES, type Collection } from '../world/schema.ts';
import { TableSeed, type Indexes, type RowBase } from '../world/seed.ts';
import { Table, type Recorder, type TableShape } from '../world/table.ts';
import type { Tables } from '../world/world.ts';
import { dueOf, type Due } from './agenda.ts';

/** Frozen rows that any number of worlds start from, and what time will change in them. */
export class Seed {
  readonly #tables: Readonly<Record<Collection, TableSeed<RowBase>>>;
  #due: readonly Due[] | undefined;

  constructor(rows: Collections) {
    this.#tables = byCollection((collection) => {
      const indexes = TABLES[collection].indexes as Indexes<RowBase>;
      return new TableSeed<RowBase>(rows[collection] ?? [], indexes);
    });
  }

  get due(): readonly Due[] {
    return (this.#due ??= dueOf(this.tables(() => {})));
  }

  rows(collection: Collection): readonly RowBase[] {
    return this.#tables[collection].rows;
  }

  /** What a world has of its own that has written nothing yet. */
  untouched(): Layers {
    return byCollection((collection) => this.#tables[collection].untouched);
  }

  /** Tables of a world that has these layers of its own; the cost does not depend on how many rows there are. */
  tables(record: Recorder, layers: Layers = this.untouched()): Tables {
    return byCollection((collection) => {
      const shape = TABLES[collection] as unknown as TableShape<RowBase>;
      const table = new Table<RowBase>(shape, this.#tables[collection], record);
      table.restore(layers[collection]);
      return table;
    }) as never;
  }

  /** Every row of such a world, oldest first. */
  collections(layers: Layers): Collections {
    const tables = this.tables(() => {}, layers);
    return byCollection((collection) => plain(tables, collection).list() as Row[]);
  }
}

/** What a world has of its own in each table. */
export type Layers = Readonly<Record<Collection, Layer<RowBase>>>;

export const layersOf = (tables: Tables): Layers =>
  byCollection((collection) => tables[collection].save() as unknown as Layer<RowBase>);

const byCollection = <T>(make: (collection: Collection) => T) =>
  Object.fromEntries(COLLECTIONS.map((collection) => [collection, make(collection)])) as Record<
    Collection,
    T
  >;
