import type { Generator } from '../world/ids.ts';
import { COLLECTIONS } from '../world/schema.ts';
import type { Draws, Tables } from '../world/world.ts';

/** The draws of one unit of work. */
export class UnitDraws implements Draws {
  readonly #generator: Generator;
  readonly #tables: Tables;
  readonly #now: number;

  constructor(generator: Generator, tables: Tables, now: number) {
    this.#generator = generator;
    this.#tables = tables;
    this.#now = now;
  }

  /** Rows that were put there by hand may have any id: one that is taken is passed over. */
  id(prefix: string): string {
    const id = this.#generator.next(prefix, this.#now);
    const isTaken = COLLECTIONS.some((collection) => this.#tables[collection].find(id));
    return isTaken ? this.id(prefix) : id;
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
