import type { Change, Row } from '../store/change-log.ts';
import type { Caller, Draws, RowChange } from './env.ts';
import type { Generator } from './ids.ts';
import type { InterceptorOutcomes } from './interceptor-invocation.ts';
import type { UnsignedToken } from './keys.ts';
import type { ProviderOutcomes } from './provider-call.ts';
import { COLLECTIONS, TABLES, type Collection } from './schema.ts';
import type { RowBase } from '../rows/positions.ts';
import type { Table, Write } from '../rows/table.ts';

/** A map, because every commit looks up collections. */
const COLLECTION_OF = new Map<object, Collection>(COLLECTIONS.map((each) => [TABLES[each], each]));

/** Everything that one unit of work has written, in order, until it is committed or undone. */
export class UnitOfWork {
  readonly #generator: Generator;
  #rewind: (() => void) | undefined;
  readonly #writes: { table: Table<RowBase>; write: Write }[] = [];
  /** Whether nothing was written. */
  isEmpty = true;
  #isTracing = false;
  /** Whether all writes only record that something was used. */
  #isTraceAlone = true;
  /** Tokens to sign, in this order, by placeholder. */
  readonly tokens = new Map<string, UnsignedToken>();

  constructor(generator: Generator) {
    this.#generator = generator;
  }

  /** For draws that `undo` undoes. Most units draw nothing. */
  get generator(): Generator {
    this.#rewind ??= this.#generator.checkpoint();
    return this.#generator;
  }

  record(table: Table<RowBase>, write: Write): void {
    this.isEmpty = false;
    this.#writes.push({ table, write });
    this.#isTraceAlone &&= this.#isTracing;
  }

  /** Marks writes as mere records of use, such as a last-used time. */
  trace<T>(run: () => T): T {
    this.#isTracing = true;
    try {
      return run();
    } finally {
      this.#isTracing = false;
    }
  }

  get recordsOnlyUse(): boolean {
    return this.#isTraceAlone;
  }

  /** Whether a row of one of these collections was written. */
  touches(collections: ReadonlySet<Collection>): boolean {
    return this.#writes.some(({ table }) => collections.has(collectionOf(table)));
  }

  /** The number of writes by collection. */
  written(): ReadonlyMap<Collection, number> {
    const counts = new Map<Collection, number>();
    for (const { table } of this.#writes) {
      const collection = collectionOf(table);
      counts.set(collection, (counts.get(collection) ?? 0) + 1);
    }
    return counts;
  }

  /** Returns the placeholder for a token until it is signed. */
  issue(token: UnsignedToken): string {
    const placeholder = `unsigned token ${this.tokens.size}`;
    this.tokens.set(placeholder, token);
    return placeholder;
  }

  /** Reverts the rows. What was drawn stays drawn. */
  rollBack(): void {
    for (const { table, write } of this.#writes.toReversed()) table.revert(write);
  }

  /** Reverts rows and draws. */
  undo(): void {
    this.rollBack();
    this.#rewind?.();
  }

  /** One change for each row. A row that was created and removed in the same unit is left out. */
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

export interface IdLookup {
  has(id: string): boolean;
}

/** The draws of one unit of work. */
export class UnitDraws implements Draws {
  readonly #work: UnitOfWork;
  readonly #tables: readonly IdLookup[];
  readonly #now: number;

  constructor(work: UnitOfWork, tables: readonly IdLookup[], now: number) {
    this.#work = work;
    this.#tables = tables;
    this.#now = now;
  }

  /** Testers may write rows with any id, so existing ids are skipped. */
  id(prefix: string): string {
    const id = this.#work.generator.next(prefix, this.#now);
    return this.#tables.some((table) => table.has(id)) ? this.id(prefix) : id;
  }

  text(length: number): string {
    return this.#work.generator.text(length);
  }

  uuid(): string {
    return this.#work.generator.uuid();
  }

  integer(): number {
    return this.#work.generator.integer();
  }
}

const collectionOf = ({ shape }: Table<RowBase>): Collection => COLLECTION_OF.get(shape)!;

export const logged = (changes: readonly RowChange[]): Change[] =>
  changes.map(({ collection, id, after }) => ({ collection, id, row: (after as Row | undefined) ?? null }));

export interface TransactionOptions {
  caller?: Caller | undefined;
  baseUrl: string;
  /** Rolls everything back at the end, for dry runs. */
  leavesNothing?: boolean;
  /** The rows are set up, so no events are recorded. */
  isSetUp?: boolean;
  /** Outcomes of the interceptors that were asked so far. */
  outcomes?: InterceptorOutcomes | undefined;
  /** Outcomes of the calls to providers that were made so far. */
  provided?: ProviderOutcomes | undefined;
}

/** For rows that are set up: records no events. */
export const SET_UP: TransactionOptions = { baseUrl: 'http://localhost', isSetUp: true };

export interface Committed<T> {
  result: T;
  changes: RowChange[];
  /** Tokens to sign, by their placeholder in the result. */
  tokens: ReadonlyMap<string, UnsignedToken>;
}
