import { Overlay, positionList, positionRange, type Positions, type RowBase } from './positions.ts';

/** A row has one key, several or none. */
type IndexKey<T> = (row: T) => string | readonly string[] | undefined;

export type Indexes<T> = Readonly<Record<string, IndexKey<T>>>;

export const keysOf = <T>(index: IndexKey<T>, row: T): readonly string[] => {
  const key = index(row);
  if (key === undefined) return [];
  return typeof key === 'string' ? [key] : key;
};

/**
 * Frozen rows that all environments of one fixture share. Rows are frozen and indexed at first use, because a start uses
 * few of them.
 */
export class FixtureTable<T extends RowBase> {
  readonly #given: readonly T[];
  #rows: readonly T[] | undefined;
  #ids: ReadonlyMap<string, number> | undefined;
  /** The layer of an environment that has written nothing. */
  readonly emptyLayer: Layer<T>;
  readonly indexes: readonly (readonly [name: string, index: IndexKey<T>])[];
  readonly #built = new Map<string, Map<string, number[]>>();

  constructor(rows: readonly T[], indexes: Indexes<T>) {
    this.#given = rows;
    this.emptyLayer = new Layer(rows.length);
    this.indexes = Object.entries(indexes);
  }

  get rows(): readonly T[] {
    return (this.#rows ??= this.#given.map(deepFreeze));
  }

  /** Positions by id. */
  get ids(): ReadonlyMap<string, number> {
    return (this.#ids ??= new Map(this.#given.map(({ id }, position) => [id, position])));
  }

  all(): Positions {
    return positionRange(this.#given.length);
  }

  by(index: string, key: string): Positions {
    return positionList(this.#index(index).get(key) ?? []);
  }

  #index(name: string): Map<string, number[]> {
    const built = this.#built.get(name);
    if (built) return built;
    const [, keyOf] = this.indexes.find(([each]) => each === name)!;
    const index = new Map<string, number[]>();
    for (const [position, row] of this.rows.entries()) {
      for (const key of keysOf(keyOf, row)) {
        const list = index.get(key);
        if (list) list.push(position);
        else index.set(key, [position]);
      }
    }
    this.#built.set(name, index);
    return index;
  }
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/**
 * An environment's own rows of one table, over the fixture's rows. Save points and environments share a layer until
 * one of them writes.
 */
export class Layer<T extends RowBase> {
  /** Own rows, and `undefined` for removed rows of the fixture. */
  readonly rows: Map<number, T | undefined>;
  readonly ids: Map<string, number>;
  readonly #overlays: Map<string, Overlay>;
  /** The position of the next row. */
  next: number;

  /** An empty layer over so many fixture rows, or a copy. */
  constructor(from: number | Layer<T>) {
    const isEmpty = typeof from === 'number';
    this.rows = new Map(isEmpty ? undefined : from.rows);
    this.ids = new Map(isEmpty ? undefined : from.ids);
    this.#overlays = new Map(isEmpty ? undefined : from.#overlays);
    this.next = isEmpty ? from : from.next;
  }

  /** The changes of one position list. */
  overlay(list: string): Overlay | undefined {
    return this.#overlays.get(list);
  }

  /** Adds a position to the list or removes it. */
  move(list: string, position: number, present: boolean, inFixture: boolean): void {
    const overlay = this.#ownOverlay(list);
    if (present) overlay.add(position, inFixture);
    else overlay.remove(position, inFixture);
    if (overlay.added.length === 0 && overlay.removed.size === 0) this.#overlays.delete(list);
  }

  /** Copied layers share their overlays until one of them writes. */
  #ownOverlay(list: string): Overlay {
    const known = this.#overlays.get(list);
    if (known?.owner === this) return known;
    const own = new Overlay(this, known);
    this.#overlays.set(list, own);
    return own;
  }
}
