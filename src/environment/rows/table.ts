import { notFound } from '../../errors.ts';
import { Layer } from './layer.ts';
import { Bucket } from './positions.ts';
import { deepFreeze, keysOf, type Indexes, type RowBase, type FixtureTable } from './table-seed.ts';

/** One write, for the change log, the journal and, if it must be, for taking it back. */
export interface Write<T extends RowBase = RowBase> {
  readonly position: number;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** Told of every write of a unit of work. */
export type Recorder = (table: Table<RowBase>, write: Write) => void;

export interface TableShape<T extends RowBase> {
  readonly noun: string;
  readonly indexes: Indexes<T>;
}

/**
 * Rows by id, in order of insertion, over a seed that is shared and never written: an environment pays only for the rows
 * that it changes. Rows are frozen; an update puts a new object in the old one's place.
 */
export class Table<T extends RowBase> {
  readonly shape: TableShape<T>;
  readonly #seed: FixtureTable<T>;
  readonly #record: Recorder;
  #layer: Layer<T>;
  /** Somebody else holds the layer too: it may only be read. */
  #isShared = true;

  constructor(shape: TableShape<T>, seed: FixtureTable<T>, record: Recorder) {
    this.shape = shape;
    this.#seed = seed;
    this.#record = record;
    this.#layer = seed.untouched;
  }

  find(id: string): T | undefined {
    const position = this.positionOf(id);
    return position === undefined ? undefined : this.at(position);
  }

  has(id: string): boolean {
    return this.positionOf(id) !== undefined;
  }

  get(id: string): T {
    const row = this.find(id);
    if (!row) throw notFound(this.shape.noun, id);
    return row;
  }

  findBy(index: string, key: string): T | undefined {
    for (const position of this.bucket(index, key).ascending()) return this.at(position);
    return undefined;
  }

  getBy(index: string, key: string): T {
    const row = this.findBy(index, key);
    if (!row) throw notFound(this.shape.noun, key);
    return row;
  }

  /** Every row, or those under one key of an index, oldest first. A copy: writing while walking it is safe. */
  list(index?: string, key?: string): T[] {
    return Array.from(this.bucket(index, key).ascending(), (position) => this.at(position)!);
  }

  count(index?: string, key?: string): number {
    return this.bucket(index, key).size;
  }

  insert(row: T): T {
    if (this.find(row.id)) throw new Error(`${this.shape.noun} ${row.id} is there already`);
    return this.#write(this.#ownLayer().next++, row)!;
  }

  /** Puts the given members in place of the row's own; one that is `undefined` is taken away. */
  update(id: string, patch: { readonly [K in keyof T]?: T[K] | undefined }): T {
    const merged: Record<string, unknown> = { ...this.get(id), ...patch };
    for (const key of Object.keys(merged)) if (merged[key] === undefined) delete merged[key];
    return this.replace(merged as unknown as T);
  }

  replace(row: T): T {
    this.get(row.id);
    return this.#write(this.positionOf(row.id)!, row)!;
  }

  /** A row that was here once, in its place of then; if it is there again, in that one's place. */
  putBack(position: number, row: T): void {
    this.#write(this.positionOf(row.id) ?? position, row);
  }

  remove(id: string): void {
    this.get(id);
    this.#write(this.positionOf(id)!, undefined);
  }

  /** All that the environment has of its own here; it stays as it is. */
  save(): Layer<T> {
    this.#isShared = true;
    return this.#layer;
  }

  /** Everything as it was when the layer was saved, by this table or another one over the same seed. */
  restore(layer: Layer<T>): void {
    this.#layer = layer;
    this.#isShared = true;
  }

  /** Takes a write back. Only the last one that still stands may be taken back. */
  revert({ position, before }: Write<T>): void {
    this.#put(position, before);
    const layer = this.#ownLayer();
    if (position === layer.next - 1 && before === undefined && !layer.rows.has(position))
      layer.next = position;
  }

  at(position: number): T | undefined {
    return this.#layer.at(position, this.#seed.rows);
  }

  positionOf(id: string): number | undefined {
    const own = this.#layer.ids.get(id);
    if (own !== undefined) return own;
    const position = this.#seed.positionOf(id);
    return position === undefined || this.at(position) === undefined ? undefined : position;
  }

  bucket(index?: string, key?: string): Bucket {
    if (index === undefined || key === undefined)
      return new Bucket(this.#seed.all(), this.#layer.overlay('*'));
    return new Bucket(this.#seed.by(index, key), this.#layer.overlay(`${index}=${key}`));
  }

  #write(position: number, row: T | undefined): T | undefined {
    const before = this.at(position);
    const after = row && deepFreeze(row);
    this.#put(position, after);
    this.#record(this as unknown as Table<RowBase>, { position, before, after });
    return after;
  }

  #put(position: number, after: T | undefined): void {
    const before = this.at(position);
    const original = this.#seed.rows[position];
    this.#reindex(position, before, after);
    const { rows, ids } = this.#ownLayer();
    if (after === original) rows.delete(position);
    else rows.set(position, after);
    if (original !== undefined) return;
    if (after) ids.set(after.id, position);
    else if (before) ids.delete(before.id);
  }

  #reindex(position: number, before: T | undefined, after: T | undefined): void {
    const original = this.#seed.rows[position];
    const layer = this.#ownLayer();
    if (!before !== !after) layer.move('*', position, after !== undefined, original !== undefined);
    for (const [name, index] of Object.entries(this.shape.indexes)) {
      const old = before ? keysOf(index, before) : [];
      const now = after ? keysOf(index, after) : [];
      const seeded = original ? keysOf(index, original) : [];
      for (const key of old)
        if (!now.includes(key)) layer.move(`${name}=${key}`, position, false, seeded.includes(key));
      for (const key of now)
        if (!old.includes(key)) layer.move(`${name}=${key}`, position, true, seeded.includes(key));
    }
  }

  #ownLayer(): Layer<T> {
    if (this.#isShared) this.#layer = new Layer(this.#layer);
    this.#isShared = false;
    return this.#layer;
  }
}
