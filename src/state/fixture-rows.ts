import type { Collections, Row } from '../store/change-log.ts';
import { anyTable, COLLECTIONS, TABLES } from './schema.ts';
import { FixtureTable, type Indexes, type Layer } from '../rows/fixture-table.ts';
import type { RowBase } from '../rows/positions.ts';
import { Table, type Recorder, type TableShape } from '../rows/table.ts';
import type { Tables, Collection } from './env.ts';
import { deadlinesOf, type Deadline } from './deadlines.ts';

/** Frozen rows that any number of environments start from, with their deadlines. */
export class FixtureRows {
  readonly #tables: Readonly<Record<Collection, FixtureTable<RowBase>>>;
  #due: readonly Deadline[] | undefined;

  constructor(rows: Collections) {
    this.#tables = byCollection((collection) => {
      const indexes = TABLES[collection].indexes as Indexes<RowBase>;
      return new FixtureTable<RowBase>(rows[collection] ?? [], indexes);
    });
  }

  get deadlines(): readonly Deadline[] {
    return (this.#due ??= deadlinesOf(this.tables(() => {})));
  }

  rows(collection: Collection): readonly RowBase[] {
    return this.#tables[collection].rows;
  }

  /** The layers of an environment that has written nothing. */
  emptyLayers(): Layers {
    return byCollection((collection) => this.#tables[collection].emptyLayer);
  }

  /** The cost does not depend on the number of rows. */
  tables(record: Recorder, layers: Layers = this.emptyLayers()): Tables {
    return byCollection((collection) => {
      const shape = TABLES[collection] as unknown as TableShape<RowBase>;
      const table = new Table<RowBase>(shape, this.#tables[collection], record);
      table.restore(layers[collection]);
      return table;
    }) as never;
  }

  /** All rows, oldest first. */
  collections(layers: Layers): Collections {
    const tables = this.tables(() => {}, layers);
    return byCollection((collection) => anyTable(tables, collection).list() as Row[]);
  }
}

/** An environment's own layer of each table. */
export type Layers = Readonly<Record<Collection, Layer<RowBase>>>;

export const layersOf = (tables: Tables): Layers =>
  byCollection((collection) => tables[collection].save() as unknown as Layer<RowBase>);

const byCollection = <T>(make: (collection: Collection) => T) =>
  Object.fromEntries(COLLECTIONS.map((collection) => [collection, make(collection)])) as Record<
    Collection,
    T
  >;
