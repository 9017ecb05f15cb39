import { Layer } from './layer.ts';
import { positionList, positionRange, type Positions, type RowBase } from './positions.ts';

/** A row has one key, several or none. */
export type IndexKey<T> = (row: T) => string | readonly string[] | undefined;

export type Indexes<T> = Readonly<Record<string, IndexKey<T>>>;

export const keysOf = <T>(index: IndexKey<T>, row: T): readonly string[] => {
  const key = index(row);
  if (key === undefined) return [];
  return typeof key === 'string' ? [key] : key;
};

/** Frozen rows that all environments of one fixture share. Indexes are built at first use. */
export class FixtureTable<T extends RowBase> {
  readonly rows: readonly T[];
  /** The layer of an environment that has written nothing. */
  readonly emptyLayer: Layer<T>;
  readonly #indexes: Indexes<T>;
  readonly #built = new Map<string, Map<string, number[]>>();
  #ids: Map<string, number> | undefined;

  constructor(rows: readonly T[], indexes: Indexes<T>) {
    this.rows = rows.map(deepFreeze);
    this.emptyLayer = new Layer(rows.length);
    this.#indexes = indexes;
  }

  positionOf(id: string): number | undefined {
    this.#ids ??= new Map(this.rows.map((row, position) => [row.id, position]));
    return this.#ids.get(id);
  }

  all(): Positions {
    return positionRange(this.rows.length);
  }

  by(index: string, key: string): Positions {
    return positionList(this.#index(index).get(key) ?? []);
  }

  #index(name: string): Map<string, number[]> {
    const built = this.#built.get(name);
    if (built) return built;
    const index = new Map<string, number[]>();
    for (const [position, row] of this.rows.entries()) {
      for (const key of keysOf(this.#indexes[name]!, row)) {
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
