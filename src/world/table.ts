import { notFound } from '../errors.ts';
import { Bucket, Overlay } from './positions.ts';
import { deepFreeze, keysOf, type Indexes, type RowBase, type TableSeed } from './seed.ts';

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
 * Rows by id, in order of insertion, over a seed that is shared and never written: a world pays only for the rows
 * that it changes. Rows are frozen; an update puts a new object in the old one's place.
 */
export class Table<T extends RowBase> {
  readonly #shape: TableShape<T>;
  readonly #seed: TableSeed<T>;
  readonly #record: Recorder;
  /** Own rows, and `undefined` for rows of the seed that are gone. */
  readonly #own = new Map<number, T | undefined>();
  readonly #ownIds = new Map<string, number>();
  readonly #overlays = new Map<string, Overlay>();
  #next: number;

  constructor(shape: TableShape<T>, seed: TableSeed<T>, record: Recorder) {
    this.#shape = shape;
    this.#seed = seed;
    this.#record = record;
    this.#next = seed.rows.length;
  }

  find(id: string): T | undefined {
    const position = this.positionOf(id);
    return position === undefined ? undefined : this.at(position);
  }

  get(id: string): T {
    const row = this.find(id);
    if (!row) throw notFound(this.#shape.noun, id);
    return row;
  }

  findBy(index: string, key: string): T | undefined {
    for (const position of this.bucket(index, key).ascending()) return this.at(position);
    return undefined;
  }

  getBy(index: string, key: string): T {
    const row = this.findBy(index, key);
    if (!row) throw notFound(this.#shape.noun, key);
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
    if (this.find(row.id)) throw new Error(`${this.#shape.noun} ${row.id} is there already`);
    return this.#write(this.#next++, row)!;
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

  remove(id: string): void {
    this.get(id);
    this.#write(this.positionOf(id)!, undefined);
  }

  /** Takes a write back. Only the last one that still stands may be taken back. */
  revert({ position, before }: Write<T>): void {
    this.#put(position, before);
    if (position === this.#next - 1 && before === undefined && !this.#own.has(position))
      this.#next = position;
  }

  at(position: number): T | undefined {
    return this.#own.has(position) ? this.#own.get(position) : this.#seed.rows[position];
  }

  positionOf(id: string): number | undefined {
    const own = this.#ownIds.get(id);
    if (own !== undefined) return own;
    const position = this.#seed.positionOf(id);
    return position === undefined || this.at(position) === undefined ? undefined : position;
  }

  bucket(index?: string, key?: string): Bucket {
    if (index === undefined || key === undefined)
      return new Bucket(this.#seed.all(), this.#overlays.get('*'));
    return new Bucket(this.#seed.by(index, key), this.#overlays.get(`${index}=${key}`));
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
    if (after === original) this.#own.delete(position);
    else this.#own.set(position, after);
    if (original !== undefined) return;
    if (after) this.#ownIds.set(after.id, position);
    else if (before) this.#ownIds.delete(before.id);
  }

  #reindex(position: number, before: T | undefined, after: T | undefined): void {
    const original = this.#seed.rows[position];
    if (!before !== !after) this.#move('*', position, after !== undefined, original !== undefined);
    for (const [name, index] of Object.entries(this.#shape.indexes)) {
      const old = before ? keysOf(index, before) : [];
      const now = after ? keysOf(index, after) : [];
      const seeded = original ? keysOf(index, original) : [];
      for (const key of old)
        if (!now.includes(key)) this.#move(`${name}=${key}`, position, false, seeded.includes(key));
      for (const key of now)
        if (!old.includes(key)) this.#move(`${name}=${key}`, position, true, seeded.includes(key));
    }
  }

  #move(bucket: string, position: number, present: boolean, inSeed: boolean): void {
    const overlay = this.#overlays.get(bucket) ?? new Overlay();
    this.#overlays.set(bucket, overlay);
    if (present) overlay.add(position, inSeed);
    else overlay.remove(position, inSeed);
    if (overlay.added.length === 0 && overlay.removed.size === 0) this.#overlays.delete(bucket);
  }
}
