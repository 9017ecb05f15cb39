import type { Change, Row } from '../store/change-log.ts';
import { Moment } from './clock.ts';
import { followChanges } from './consequences.ts';
import { Deadlines, deadlineOf, isLiveIn, type Due } from './deadlines.ts';
import type { RowChange, Tables, Env } from './env.ts';
import { layersOf, type FixtureRows } from './fixture/frozen-rows.ts';
import { Histories } from './histories.ts';
import { Generator, type GeneratorMarks } from './ids.ts';
import { outcomeLookup, allowWithoutAsking } from './interceptor-invocation.ts';
import { claimsIn, type Claims } from './keys.ts';
import { NotKept } from './not-kept.ts';
import { plain, removeRow } from './rows/cascade.ts';
import { COLLECTIONS, TABLES, type Collection } from './rows/schema.ts';
import type { SavedState } from './save-point.ts';
import { UnitDraws, Work, type Committed, type TransactionOptions, type StateParts } from './unit-of-work.ts';

type EnvBase = Omit<Env, 'clock' | 'caller' | 'baseUrl' | 'draw' | 'token' | 'trace' | 'ask'>;

const BY_TIME_ALONE: TransactionOptions = { baseUrl: 'http://localhost' };

/** The rows of one environment, what time does to them, and units of work on them: all or nothing. */
export class State {
  readonly #parts: StateParts;
  #seed!: FixtureRows;
  #tables!: Tables;
  #tableList!: Tables[Collection][];
  #lasting!: EnvBase;
  #deadlines!: Deadlines;
  readonly #generator: Generator;
  readonly #firstMarks: GeneratorMarks;
  #work: Work | undefined;
  readonly #histories: Histories;

  constructor(parts: StateParts, seed: FixtureRows) {
    this.#parts = parts;
    const { history: limit, warn } = parts.shared;
    this.#histories = new Histories({ environment: parts.name, limit, warn });
    this.#generator = new Generator(`${parts.seed} ${parts.name}`);
    this.#firstMarks = this.#generator.marks();
    this.start(seed);
  }

  /** The rows to look at; only a unit of work may write them. */
  get tables(): Tables {
    return this.#tables;
  }

  /** From the beginning, with these rows. The cost does not depend on how many they are. */
  start(seed: FixtureRows): void {
    const deadlines = new Deadlines(seed.due);
    this.restore({ fixture: seed, layers: seed.untouched(), deadlines, generator: this.#firstMarks });
  }

  /** Cheap, whatever the number of rows: what is not written afterwards is shared. */
  save(): SavedState {
    const generator = this.#generator.marks();
    return {
      fixture: this.#seed,
      layers: layersOf(this.#tables),
      deadlines: this.#deadlines.copy(),
      generator,
    };
  }

  /** As it was then; the point may be of another environment. */
  restore({ fixture: seed, layers, deadlines, generator }: SavedState): void {
    const { name, shared } = this.#parts;
    this.#seed = seed;
    this.#tables = seed.tables((table, write) => this.#recorder().record(table, write), layers);
    this.#tableList = Object.values(this.#tables);
    this.#lasting = {
      ...this.#tables,
      environment: name,
      jwks: () => shared.keys.jwks(),
      claims: (token) => claimsIn(name, shared.keys.read(token)),
      schemas: shared.schemas,
      autoLogin: shared.autoLogin,
      remove: (collection, id) => removeRow(this.#tables, collection, id),
    };
    this.#deadlines = deadlines.copy();
    this.#generator.restore(generator);
  }

  /** What time has changed by now comes first. Where that can not be kept, only work that writes nothing is done. */
  transact<T>(options: TransactionOptions, run: (env: Env) => T): Committed<T> {
    const now = this.#parts.clock.now();
    const refusal = this.settleIfKept(now);
    return this.#commit({ ...options, refusal }, now, run);
  }

  /** As `transact`, on the rows as they are. */
  write<T>(options: TransactionOptions, run: (env: Env) => T): Committed<T> {
    return this.#commit(options, this.#parts.clock.now(), run);
  }

  /** Lets everything happen that is due by then, in order of time. */
  settle(now: number): void {
    for (let due = this.#deadlines.take(now); due; due = this.#deadlines.take(now)) this.#expire(due);
  }

  /** As `settle`, for whoever only looks: what can not be kept now happens later. Returns why. */
  settleIfKept(now: number): NotKept | undefined {
    try {
      this.settle(now);
      return undefined;
    } catch (thrown) {
      if (thrown instanceof NotKept) return thrown;
      throw thrown;
    }
  }

  /** When time alone will change something; the row may have changed otherwise by then. */
  get nextDeadline(): number | undefined {
    return this.#deadlines.next();
  }

  /** Makes changes that stand already: nobody is told. */
  apply(changes: readonly Change[]): void {
    this.#work = new Work();
    for (const { collection, id, row } of changes) this.#put(collection as Collection, id, row);
    this.#work = undefined;
  }

  /** Rows by collection, oldest first. */
  collections(): Record<Collection, Row[]> {
    const rows = COLLECTIONS.map((collection) => [collection, plain(this.#tables, collection).list()]);
    return Object.fromEntries(rows) as Record<Collection, Row[]>;
  }

  get generator(): GeneratorMarks {
    return this.#generator.marks();
  }

  set generator(marks: GeneratorMarks) {
    this.#generator.restore(marks);
  }

  /** A number in [0, 1) outside of any unit of work, such as a rule's chance. */
  chance(): number {
    return this.#generator.draw();
  }

  #expire(due: Due): void {
    try {
      this.#change(due);
    } catch (thrown) {
      if (thrown instanceof NotKept) this.#deadlines.add(due, isLiveIn(this.#tables));
      throw thrown;
    }
  }

  #change({ at, collection, id }: Due): void {
    if (!isLiveIn(this.#tables)({ at, collection, id })) return;
    const row = plain(this.#tables, collection).get(id);
    const { expired } = TABLES[collection].deadline as { expired: (row: object) => Row };
    this.#commit(BY_TIME_ALONE, at, () => plain(this.#tables, collection).replace(expired(row)));
  }

  #commit<T>(
    options: TransactionOptions & { refusal?: NotKept | undefined },
    now: number,
    run: (env: Env) => T,
  ): Committed<T> {
    const work = new Work();
    const rewind = this.#generator.checkpoint();
    this.#work = work;
    try {
      const env = this.#env(options, now, work);
      const result = run(env);
      if (options.leavesNothing) {
        work.rollBack();
        rewind();
        return { result, changes: [], tokens: work.tokens };
      }
      followChanges(env, work, options.isSetUp === true);
      this.#histories.trim(this.#tables, work.written());
      const changes = this.#keep(work, options.refusal);
      for (const { collection, id, after } of changes) this.#note(collection, id, after);
      return { result, changes, tokens: work.tokens };
    } catch (thrown) {
      work.rollBack();
      rewind();
      throw thrown;
    } finally {
      this.#work = undefined;
    }
  }

  /** What was changed, once it is in the log. `refusal`: why nothing can be kept now. */
  #keep(work: Work, refusal: NotKept | undefined): RowChange[] {
    const changes = work.changes();
    try {
      if (changes.length > 0 && refusal) throw refusal;
      if (changes.length > 0) this.#parts.onCommit(changes);
      return changes;
    } catch (thrown) {
      if (!(thrown instanceof NotKept) || !work.isTraceAlone) throw thrown;
      work.rollBack();
      return [];
    }
  }

  /** The lasting half of every unit's environment is made once; a unit inherits it and adds its own. */
  #env({ caller, baseUrl, leavesNothing, outcomes }: TransactionOptions, now: number, work: Work): Env {
    const own = {
      clock: new Moment(now),
      caller,
      baseUrl,
      draw: new UnitDraws(this.#generator, this.#tableList, now),
      token: (claims: Claims, hashes = {}) => work.issue({ claims, hashes }),
      trace: <T>(run: () => T) => work.trace(run),
      ask: leavesNothing ? allowWithoutAsking : outcomeLookup(outcomes),
    };
    return Object.assign(Object.create(this.#lasting) as EnvBase, own);
  }

  #put(collection: Collection, id: string, row: Row | null): void {
    const table = plain(this.#tables, collection);
    const isThere = table.find(id) !== undefined;
    if (row === null) {
      if (isThere) table.remove(id);
    } else if (isThere) table.replace(row);
    else table.insert(row);
    this.#note(collection, id, row ?? undefined);
  }

  #note(collection: Collection, id: string, row: object | undefined): void {
    const at = row && deadlineOf(collection, row);
    if (at === undefined) return;
    this.#deadlines.add({ at, collection, id }, isLiveIn(this.#tables));
    this.#parts.onDeadline(at);
  }

  #recorder(): Work {
    if (!this.#work) throw new Error('rows are written in a unit of work only');
    return this.#work;
  }
}
