import { notFound } from '../contract/errors.ts';
import { Bucket, type RowBase } from './positions.ts';
import { deepFreeze, keysOf, Layer, type Indexes, type FixtureTable } from './fixture-table.ts';

/** One write, for the change log, the journal and rollback. */
export interface Write<T extends RowBase = RowBase> {
  readonly position: number;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** Called with every write of a unit of work. */
export type Recorder = (table: Table<RowBase>, write: Write) => void;

export interface TableShape<T extends RowBase> {
  /** The collection. */
  readonly name: string;
  /** For messages. */
  readonly noun: string;
  readonly indexes: Indexes<T>;
}

/**
 * Rows by id in insertion order, over fixture rows that are shared and never written: an environment pays only for
 * the rows that it changes. Rows are frozen; an update replaces the object.
 */
export class Table<T extends RowBase> {
  readonly shape: TableShape<T>;
  readonly #fixture: FixtureTable<T>;
  readonly #record: Recorder;
  #layer: Layer<T>;
  /** The layer is also used elsewhere and must be copied before a write. */
  #isShared = true;

  constructor(shape: TableShape<T>, fixture: FixtureTable<T>, record: Recorder) {
    this.shape = shape;
    this.#fixture = fixture;
    this.#record = record;
    this.#layer = fixture.emptyLayer;
  }

  find(id: string): T | undefined {
    const { ids, rows } = this.#layer;
    const own = ids.get(id);
    if (own !== undefined) return rows.get(own);
    const position = this.#fixture.ids.get(id);
    if (position === undefined) return undefined;
    return rows.has(position) ? rows.get(position) : this.#fixture.rows[position];
  }

  has(id: string): boolean {
    return this.find(id) !== undefined;
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

  /** All rows or those with one key of an index, oldest first. A copy, so writing while walking it is safe. */
  list(index?: string, key?: string): T[] {
    const bucket = this.bucket(index, key);
    // Most lists of a removal are empty.
    if (bucket.size === 0) return [];
    return Array.from(bucket.ascending(), (position) => this.at(position)!);
  }

  count(index?: string, key?: string): number {
    return this.bucket(index, key).size;
  }

  insert(row: T): T {
    if (this.find(row.id)) throw new Error(`${this.shape.noun} ${row.id} already exists`);
    return this.#write(this.#ownLayer().next++, row)!;
  }

  /** A member with the value `undefined` is removed from the row. */
  update(id: string, patch: { readonly [K in keyof T]?: T[K] | undefined }): T {
    const merged: Record<string, unknown> = { ...this.get(id), ...patch };
    for (const key of Object.keys(merged)) if (merged[key] === undefined) delete merged[key];
    return this.replace(merged as unknown as T);
  }

  replace(row: T): T {
    return this.#write(this.#knownPosition(row.id), row)!;
  }

  /** Restores a removed row at its former position, or replaces the row that has its id now. */
  restoreRow(position: number, row: T): void {
    this.#write(this.positionOf(row.id) ?? position, row);
  }

  remove(id: string): void {
    this.#write(this.#knownPosition(id), undefined);
  }

  /** The environment's own rows; the returned layer does not change. */
  save(): Layer<T> {
    this.#isShared = true;
    return this.#layer;
  }

  /** `layer` may come from another table over the same fixture. */
  restore(layer: Layer<T>): void {
    this.#layer = layer;
    this.#isShared = true;
  }

  /** Undoes a write. Writes must be undone in reverse order. */
  revert({ position, before }: Write<T>): void {
    this.#put(position, this.at(position), before);
    const layer = this.#ownLayer();
    if (position === layer.next - 1 && before === undefined && !layer.rows.has(position))
      layer.next = position;
  }

  at(position: number): T | undefined {
    return rowAt(position, this.#layer, this.#fixture.rows);
  }

  positionOf(id: string): number | undefined {
    const own = this.#layer.ids.get(id);
    if (own !== undefined) return own;
    const position = this.#fixture.ids.get(id);
    return position === undefined || this.at(position) === undefined ? undefined : position;
  }

  bucket(index?: string, key?: string): Bucket {
    if (index === undefined || key === undefined)
      return new Bucket(this.#fixture.all(), this.#layer.overlay('*'));
    return new Bucket(this.#fixture.by(index, key), this.#layer.overlay(`${index}=${key}`));
  }

  #knownPosition(id: string): number {
    const position = this.positionOf(id);
    if (position === undefined) throw notFound(this.shape.noun, id);
    return position;
  }

  #write(position: number, row: T | undefined): T | undefined {
    const before = this.at(position);
    const after = row && deepFreeze(row);
    this.#put(position, before, after);
    this.#record(this as unknown as Table<RowBase>, { position, before, after });
    return after;
  }

  #put(position: number, before: T | undefined, after: T | undefined): void {
    const original = this.#fixture.rows[position];
    this.#reindex(position, { before, after, original });
    const { rows, ids } = this.#ownLayer();
    if (after === original) rows.delete(position);
    else rows.set(position, after);
    if (original !== undefined) return;
    if (after) ids.set(after.id, position);
    else if (before) ids.delete(before.id);
  }

  #reindex(position: number, { before, after, original }: Partial<Record<Version, T | undefined>>): void {
    const layer = this.#ownLayer();
    if (!before !== !after) layer.move('*', position, after !== undefined, original !== undefined);
    for (const [name, index] of this.#fixture.indexes) {
      const old = before ? keysOf(index, before) : NO_KEYS;
      const now = after ? keysOf(index, after) : NO_KEYS;
      if (old.length <= 1 && old.length === now.length && old[0] === now[0]) continue;
      const [wasKey, isKey] = [lookup(old), lookup(now)];
      const isFixtureKey =
        original === before ? wasKey : lookup(original ? keysOf(index, original) : NO_KEYS);
      for (const key of old)
        if (!isKey(key)) layer.move(`${name}=${key}`, position, false, isFixtureKey(key));
      for (const key of now)
        if (!wasKey(key)) layer.move(`${name}=${key}`, position, true, isFixtureKey(key));
    }
  }

  #ownLayer(): Layer<T> {
    if (this.#isShared) this.#layer = new Layer(this.#layer);
    this.#isShared = false;
    return this.#layer;
  }
}

/** A row before and after a write, and the row of the fixture. */
type Version = 'before' | 'after' | 'original';

const NO_KEYS: readonly string[] = [];

/** Below this length, searching a list is faster than making a set. */
const LONG_LIST = 16;

function lookup(keys: readonly string[]): (key: string) => boolean {
  if (keys.length < LONG_LIST) return (key) => keys.includes(key);
  const set = new Set(keys);
  return (key) => set.has(key);
}

/** The row of the layer, or else that of the fixture. */
export const rowAt = <T extends RowBase>(
  position: number,
  { rows }: Layer<T>,
  fixture: readonly T[],
): T | undefined => (rows.has(position) ? rows.get(position) : fixture[position]);
