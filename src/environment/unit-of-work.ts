import type { Contract } from '../contract/contract.ts';
import type { Change, Row } from '../store/change-log.ts';
import type { Clock } from './clock.ts';
import type { Caller, Draws, RowChange } from './env.ts';
import type { Generator } from './ids.ts';
import type { InterceptorOutcomes } from './interceptor-invocation.ts';
import type { Keys, UnsignedToken } from './keys.ts';
import type { SchemaChecks } from './rows/json-schema.ts';
import { COLLECTIONS, TABLES, type Collection } from './rows/schema.ts';
import type { RowBase } from './rows/table-seed.ts';
import type { Table, Write } from './rows/table.ts';

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

/** Who asks for a unit of work, and from where. */
export interface TransactionOptions {
  caller?: Caller | undefined;
  baseUrl: string;
  /** Nothing that is written stays: for whoever only asks what would be answered. */
  leavesNothing?: boolean;
  /** Rows are put where they should be from the start: nothing has happened that events would tell of. */
  isSetUp?: boolean;
  /** What interceptors have said already; none has been asked where there are none. */
  outcomes?: InterceptorOutcomes | undefined;
}

export interface Committed<T> {
  result: T;
  changes: RowChange[];
  /** Still to be signed, by the text that stands for the token in the result. */
  tokens: ReadonlyMap<string, UnsignedToken>;
}

/** What all environments of a process have in common; nothing in it changes what an environment answers. */
export interface SharedByStates {
  keys: Keys;
  schemas: SchemaChecks;
  autoLogin?: string | undefined;
  /** The control API's contract, which describes the stored rows. */
  rows: Contract;
  /** Told of what goes wrong while nobody calls. */
  report: (message: string, cause: unknown) => void;
  /** Told of what the person who runs the program must know. */
  warn: (line: string) => void;
  /** How many rows each history of an environment keeps. */
  history: number;
}

export interface StateParts {
  name: string;
  seed: number;
  clock: Clock;
  shared: SharedByStates;
  /** Called with what a unit of work changed, before it stands; a throw undoes it. */
  onCommit: (changes: readonly RowChange[]) => void;
  /** Called when a row has got a time at which it will change. */
  onDeadline: (at: number) => void;
}
