import type { RowBase } from './positions.ts';
import type { Table, Write } from './table.ts';

/** A row before and after a unit of work. */
export interface RowChange<C extends string = string> {
  collection: C;
  id: string;
  /** The row's position in its table, now or before it was removed. */
  position: number;
  before: RowBase | undefined;
  after: RowBase | undefined;
}

/** Everything that one unit of work has written, in order, until it is committed or undone. */
export class UnitOfWork<C extends string> {
  readonly #writes: { table: Table<RowBase>; write: Write }[] = [];
  /** Whether nothing was written. */
  isEmpty = true;
  #isTracing = false;
  /** Whether all writes only record that something was used. */
  #isTraceAlone = true;

  record(table: Table<RowBase>, write: Write): void {
    this.isEmpty = false;
    this.#writes.push({ table, write });
    this.#isTraceAlone &&= this.#isTracing;
  }

  /** Marks writes as mere records of use, such as a last-used time. */
  trace<T>(run: () => T): T {
    this.#isTracing = true;
    try {
      return run();
    } finally {
      this.#isTracing = false;
    }
  }

  get recordsOnlyUse(): boolean {
    return this.#isTraceAlone;
  }

  /** Whether a row of one of these collections was written. */
  touches(collections: ReadonlySet<C>): boolean {
    return this.#writes.some(({ table }) => collections.has(table.shape.name as C));
  }

  /** The number of writes by collection. */
  written(): ReadonlyMap<C, number> {
    const counts = new Map<C, number>();
    for (const { table } of this.#writes) {
      const collection = table.shape.name as C;
      counts.set(collection, (counts.get(collection) ?? 0) + 1);
    }
    return counts;
  }

  /** Reverts the rows. */
  rollBack(): void {
    for (const { table, write } of this.#writes.toReversed()) table.revert(write);
  }

  /** One change for each row. A row that was created and removed in the same unit is left out. */
  changes(): RowChange<C>[] {
    if (this.#writes.length === 0) return [];
    const changes = new Map<string, RowChange<C>>();
    for (const { table, write } of this.#writes) {
      const collection = table.shape.name as C;
      const { position, before, after } = write;
      const id = (after ?? before)!.id;
      const known = changes.get(`${collection} ${id}`);
      if (known) known.after = after;
      else changes.set(`${collection} ${id}`, { collection, id, position, before, after });
    }
    return [...changes.values()].filter(({ before, after }) => before !== undefined || after !== undefined);
  }
}
