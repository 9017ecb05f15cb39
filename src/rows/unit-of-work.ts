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
  readonly #counts = new Map<C, number>();
  /** The first `#gathered` writes as changes. A change that was handed out is replaced, not written. */
  readonly #changes: RowChange<C>[] = [];
  readonly #places = new Map<C, Map<string, number>>();
  #gathered = 0;

  record(table: Table<RowBase>, write: Write): void {
    this.isEmpty = false;
    this.#writes.push({ table, write });
    const collection = table.shape.name as C;
    this.#counts.set(collection, (this.#counts.get(collection) ?? 0) + 1);
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
    return [...this.#counts.keys()].some((collection) => collections.has(collection));
  }

  /** The number of writes by collection so far. */
  written(): ReadonlyMap<C, number> {
    return new Map(this.#counts);
  }

  /** Reverts the rows. */
  rollBack(): void {
    for (const { table, write } of this.#writes.toReversed()) table.revert(write);
  }

  /** One change for each row. A row that was created and removed in the same unit is left out. */
  changes(): RowChange<C>[] {
    this.gather();
    return this.#changes.filter(({ before, after }) => before !== undefined || after !== undefined);
  }

  /** Prepares `changes()`, which is a long turn after many writes. */
  gather(): void {
    for (; this.#gathered < this.#writes.length; this.#gathered += 1)
      this.#gather(this.#writes[this.#gathered]!);
  }

  #gather({ table, write: { position, before, after } }: { table: Table<RowBase>; write: Write }): void {
    const collection = table.shape.name as C;
    const { id } = (after ?? before)!;
    let places = this.#places.get(collection);
    if (!places) this.#places.set(collection, (places = new Map()));
    const place = places.get(id);
    if (place !== undefined) this.#changes[place] = { ...this.#changes[place]!, after };
    else places.set(id, this.#changes.push({ collection, id, position, before, after }) - 1);
  }
}
