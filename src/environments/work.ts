import type { Change, Row } from '../store/change-log.ts';
import type { UnsignedToken } from '../world/keys.ts';
import { COLLECTIONS, TABLES, type Collection } from '../world/schema.ts';
import type { RowChange } from '../world/row-change.ts';
import type { RowBase } from '../world/seed.ts';
import type { Table, Write } from '../world/table.ts';

/** Every commit asks of what collection a table is. */
const COLLECTION_OF = new Map<object, Collection>(COLLECTIONS.map((each) => [TABLES[each], each]));

/** Everything one unit of work has written, in order, until it is committed or taken back. */
export class Work {
  readonly #writes: { table: Table<RowBase>; write: Write }[] = [];
  #isTracing = false;
  /** All that was written only notes that something was used. */
  #isTraceAlone = true;
  /** Tokens to be signed, in this order, by the text that stands for each. */
  readonly tokens = new Map<string, UnsignedToken>();

  record(table: Table<RowBase>, write: Write): void {
    this.#writes.push({ table, write });
    this.#isTraceAlone &&= this.#isTracing;
  }

  /** What is written meanwhile only notes that something was used. */
  trace<T>(run: () => T): T {
    this.#isTracing = true;
    try {
      return run();
    } finally {
      this.#isTracing = false;
    }
  }

  get isTraceAlone(): boolean {
    return this.#isTraceAlone;
  }

  /** Whether a row of one of these was written. */
  touches(collections: ReadonlySet<Collection>): boolean {
    return this.#writes.some(({ table }) => collections.has(collectionOf(table)));
  }

  /** How many writes there were, by collection. */
  written(): ReadonlyMap<Collection, number> {
    const counts = new Map<Collection, number>();
    for (const { table } of this.#writes) {
      const collection = collectionOf(table);
      counts.set(collection, (counts.get(collection) ?? 0) + 1);
    }
    return counts;
  }

  /** The text that stands for a token until it is signed. */
  issue(token: UnsignedToken): string {
    const placeholder = `unsigned token ${this.tokens.size}`;
    this.tokens.set(placeholder, token);
    return placeholder;
  }

  rollBack(): void {
    for (const { table, write } of this.#writes.toReversed()) table.revert(write);
  }

  /** One entry a row, however often it was written; a row that was made and removed in the same work is none. */
  changes(): RowChange[] {
    if (this.#writes.length === 0) return [];
    const changes = new Map<string, RowChange>();
    for (const { table, write } of this.#writes) {
      const collection = collectionOf(table);
      const { position, before, after } = write;
      const id = (after ?? before)!.id;
      const known = changes.get(`${collection} ${id}`);
      if (known) known.after = after;
      else changes.set(`${collection} ${id}`, { collection, id, position, before, after });
    }
    return [...changes.values()].filter(({ before, after }) => before !== undefined || after !== undefined);
  }
}

const collectionOf = ({ shape }: Table<RowBase>): Collection => COLLECTION_OF.get(shape)!;

export const logged = (changes: readonly RowChange[]): Change[] =>
  changes.map(({ collection, id, after }) => ({ collection, id, row: (after as Row | undefined) ?? null }));
