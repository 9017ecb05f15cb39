import { Layer } from './layer.ts';
import { listed, range, type Positions } from './positions.ts';

export interface RowBase {
  readonly id: string;
}

/** Where a row is found: by one key, by several, or not at all. */
export type IndexKey<T> = (row: T) => string | readonly string[] | undefined;

export type Indexes<T> = Readonly<Record<string, IndexKey<T>>>;

export const keysOf = <T>(index: IndexKey<T>, row: T): readonly string[] => {
  const key = index(row);
  if (key === undefined) return [];
  return typeof key === 'string' ? [key] : key;
};

/** The frozen rows that environments of one fixture share. Indexes are built when they are first asked. */
export class FixtureTable<T extends RowBase> {
  readonly rows: readonly T[];
  /** What an environment has that has written nothing yet. */
  readonly untouched: Layer<T>;
  readonly #indexes: Indexes<T>;
  readonly #built = new Map<string, Map<string, number[]>>();
  #ids: Map<string, number> | undefined;

  constructor(rows: readonly T[], indexes: Indexes<T>) {
    this.rows = rows.map(deepFreeze);
    this.untouched = new Layer(rows.length);
    this.#indexes = indexes;
  }

  positionOf(id: string): number | undefined {
    this.#ids ??= new Map(this.rows.map((row, position) => [row.id, position]));
    return this.#ids.get(id);
  }

  all(): Positions {
    return range(this.rows.length);
  }

  by(index: string, key: string): Positions {
    return listed(this.#index(index).get(key) ?? []);
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
