import { UnitOfWork } from '../rows/unit-of-work.ts';
import type { Change, Row } from '../store/change-log.ts';
import { Deadlines, deadlineOf, isStillDueIn } from './deadlines.ts';
import type { Tables, Collection, RowChange } from './env.ts';
import { layersOf, type FixtureRows, type Layers } from './fixture-rows.ts';
import { Generator, type GeneratorMarks } from './ids.ts';
import { anyTable, COLLECTIONS } from './schema.ts';

/** The rows of one environment, their deadlines, and the generator of ids. */
export class State {
  readonly generator: Generator;
  readonly #firstMarks: GeneratorMarks;
  readonly #onDeadline: (at: number) => void;
  /** Only units of work may write. `restore` puts other tables and deadlines in their place. */
  tables!: Tables;
  deadlines!: Deadlines;
  /** Records all writes; absent: nothing may be written. */
  work: UnitOfWork<Collection> | undefined;
  #fixture!: FixtureRows;
  #writes = 0;

  /** `onDeadline` is called with the time of each new deadline. */
  constructor(generator: Generator, fixture: FixtureRows, onDeadline: (at: number) => void) {
    this.generator = generator;
    this.#firstMarks = generator.marks();
    this.#onDeadline = onDeadline;
    this.start(fixture);
  }

  /** Starts with these rows. The cost does not depend on their number. */
  start(fixture: FixtureRows): void {
    const deadlines = new Deadlines(fixture.deadlines);
    this.restore({ fixture, layers: fixture.emptyLayers(), deadlines, generator: this.#firstMarks });
  }

  /** The cost does not depend on the number of rows, because unchanged rows are shared. */
  save(): SavedState {
    const [layers, deadlines] = [layersOf(this.tables), this.deadlines.copy()];
    return { fixture: this.#fixture, layers, deadlines, generator: this.generator.marks() };
  }

  /** Another state with the same rows. What is written there is not written here. */
  copy(): State {
    const copy = new State(this.generator.copy(), this.#fixture, () => {});
    copy.restore(this.save());
    return copy;
  }

  /** Changes with every write and every draw. */
  get version(): string {
    return JSON.stringify([this.#writes, this.generator.marks()]);
  }

  /** Takes rows and draws of a copy that was made in this version. The deadlines stay. */
  adopt(copy: State): void {
    this.#useLayers(layersOf(copy.tables));
    this.generator.restore(copy.generator.marks());
  }

  /** The saved state may come from another environment. */
  restore({ fixture, layers, deadlines, generator }: SavedState): void {
    this.#fixture = fixture;
    this.#useLayers(layers);
    this.deadlines = deadlines.copy();
    this.generator.restore(generator);
  }

  /** Applies changes that are already stored, and returns them with the rows before. */
  apply(changes: readonly Change[]): RowChange[] {
    const work = (this.work = new UnitOfWork<Collection>());
    for (const { collection, id, row } of changes) this.#put(collection as Collection, id, row);
    this.work = undefined;
    return work.changes();
  }

  /** Takes back the latest changes, and puts each row back in its place. */
  takeBack(changes: readonly RowChange[]): void {
    for (const { collection, id, position, before } of changes.toReversed()) {
      const table = anyTable(this.tables, collection);
      const now = table.positionOf(id);
      // The row was removed and made again.
      if (now !== undefined && now !== position)
        table.revert({ position: now, before: undefined, after: undefined });
      table.revert({ position, before: before as Row | undefined, after: undefined });
      this.noteDeadline(collection, id, before);
    }
  }

  noteDeadline(collection: Collection, id: string, row: object | undefined): void {
    const at = row && deadlineOf(collection, row);
    if (at === undefined) return;
    this.deadlines.add({ at, collection, id }, isStillDueIn(this.tables));
    this.#onDeadline(at);
  }

  /** Rows by collection, oldest first. */
  collections(): Record<Collection, Row[]> {
    const rows = COLLECTIONS.map((collection) => [collection, anyTable(this.tables, collection).list()]);
    return Object.fromEntries(rows) as Record<Collection, Row[]>;
  }

  #put(collection: Collection, id: string, row: Row | null): void {
    const table = anyTable(this.tables, collection);
    const isThere = table.find(id) !== undefined;
    if (row === null) {
      if (isThere) table.remove(id);
    } else if (isThere) table.replace(row);
    else table.insert(row);
    this.noteDeadline(collection, id, row ?? undefined);
  }

  #useLayers(layers: Layers): void {
    this.#writes += 1;
    this.tables = this.#fixture.tables((table, write) => this.#recorder().record(table, write), layers);
  }

  #recorder(): UnitOfWork<Collection> {
    this.#writes += 1;
    if (!this.work) throw new Error('rows are written in a unit of work only');
    return this.work;
  }
}

/** The state at one moment, immutable. */
export interface SavedState {
  readonly fixture: FixtureRows;
  readonly layers: Layers;
  readonly deadlines: Deadlines;
  readonly generator: GeneratorMarks;
}

export const tablesAt = ({ fixture, layers }: SavedState): Tables => fixture.tables(() => {}, layers);
