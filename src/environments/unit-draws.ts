import type { Generator } from '../world/ids.ts';
import type { Draws } from '../world/world.ts';

/** All that a table is asked for here. */
interface Ids {
  has(id: string): boolean;
}

/** The draws of one unit of work. */
export class UnitDraws implements Draws {
  readonly #generator: Generator;
  readonly #tables: readonly Ids[];
  readonly #now: number;

  constructor(generator: Generator, tables: readonly Ids[], now: number) {
    this.#generator = generator;
    this.#tables = tables;
    this.#now = now;
  }

  /** Rows that were put there by hand may have any id: one that is taken is passed over. */
  id(prefix: string): string {
    const id = this.#generator.next(prefix, this.#now);
    return this.#tables.some((table) => table.has(id)) ? this.id(prefix) : id;
  }

  text(length: number): string {
    return this.#generator.text(length);
  }

  uuid(): string {
    return this.#generator.uuid();
  }

  integer(): number {
    return this.#generator.integer();
  }
}
