import type { Change, Row } from '../store/change-log.ts';
import { Moment } from './clock.ts';
import { applyConsequences } from './consequences.ts';
import { Deadlines, deadlineOf, isStillDueIn, type Deadline } from './deadlines.ts';
import type { RowChange, Tables, Env } from './env.ts';
import { layersOf, type FixtureRows } from './fixture/fixture-rows.ts';
import { Histories } from './histories.ts';
import { Generator, type GeneratorMarks } from './ids.ts';
import { outcomeLookup, allowWithoutAsking } from './interceptor-invocation.ts';
import { claimsIn, type Claims } from './keys.ts';
import { NotKept } from './not-kept.ts';
import { anyTable, removeRow } from './rows/cascade.ts';
import { COLLECTIONS, TABLES, type Collection } from './rows/schema.ts';
import type { SavedState } from './save-point.ts';
import {
  UnitDraws,
  UnitOfWork,
  type Committed,
  type TransactionOptions,
  type StateSettings,
} from './unit-of-work.ts';

type FixedEnv = Omit<Env, 'clock' | 'caller' | 'baseUrl' | 'draw' | 'token' | 'trace' | 'ask'>;

const DEADLINE_OPTIONS: TransactionOptions = { baseUrl: 'http://localhost' };

/** The rows of one environment, their deadlines, and units of work on them: all or nothing. */
export class State {
  readonly #settings: StateSettings;
  #fixture!: FixtureRows;
  #tables!: Tables;
  #tableList!: Tables[Collection][];
  #fixedEnv!: FixedEnv;
  #deadlines!: Deadlines;
  readonly #generator: Generator;
  readonly #firstMarks: GeneratorMarks;
  #work: UnitOfWork | undefined;
  readonly #histories: Histories;

  constructor(settings: StateSettings, fixture: FixtureRows) {
    this.#settings = settings;
    const { history: limit, warn } = settings.shared;
    this.#histories = new Histories({ environment: settings.name, limit, warn });
    this.#generator = new Generator(`${settings.seed} ${settings.name}`);
    this.#firstMarks = this.#generator.marks();
    this.start(fixture);
  }

  /** Read only: only units of work may write. */
  get tables(): Tables {
    return this.#tables;
  }

  /** Starts with these rows. The cost does not depend on their number. */
  start(fixture: FixtureRows): void {
    const deadlines = new Deadlines(fixture.deadlines);
    this.restore({ fixture, layers: fixture.emptyLayers(), deadlines, generator: this.#firstMarks });
  }

  /** The cost does not depend on the number of rows, because unchanged rows are shared. */
  save(): SavedState {
    const [layers, deadlines] = [layersOf(this.#tables), this.#deadlines.copy()];
    return { fixture: this.#fixture, layers, deadlines, generator: this.#generator.marks() };
  }

  /** The saved state may come from another environment. */
  restore({ fixture, layers, deadlines, generator }: SavedState): void {
    const { name, shared } = this.#settings;
    this.#fixture = fixture;
    this.#tables = fixture.tables((table, write) => this.#recorder().record(table, write), layers);
    this.#tableList = Object.values(this.#tables);
    this.#fixedEnv = {
      ...this.#tables,
      environment: name,
      jwks: () => shared.keys.jwks(),
      claims: (token) => claimsIn(name, shared.keys.verifySync(token)),
      schemas: shared.schemas,
      autoLogin: shared.autoLogin,
      remove: (collection, id) => removeRow(this.#tables, collection, id),
    };
    this.#deadlines = deadlines.copy();
    this.#generator.restore(generator);
  }

  /** Runs everything due first. If that cannot be stored, only units that write nothing succeed. */
  transact<T>(options: TransactionOptions, run: (env: Env) => T): Committed<T> {
    const now = this.#settings.clock.now();
    const refusal = this.settleIfKept(now);
    return this.#commit({ ...options, refusal }, now, run);
  }

  /** Like `transact`, without running what is due. */
  write<T>(options: TransactionOptions, run: (env: Env) => T): Committed<T> {
    return this.#commit(options, this.#settings.clock.now(), run);
  }

  /** Runs everything due, in order of time. */
  settle(now: number): void {
    for (let due = this.#deadlines.takeDue(now); due; due = this.#deadlines.takeDue(now)) this.#expire(due);
  }

  /** Like `settle` for reads: changes that cannot be stored happen later. Returns the error. */
  settleIfKept(now: number): NotKept | undefined {
    try {
      this.settle(now);
      return undefined;
    } catch (thrown) {
      if (thrown instanceof NotKept) return thrown;
      throw thrown;
    }
  }

  /** The row may have changed before its deadline. */
  get nextDeadline(): number | undefined {
    return this.#deadlines.next();
  }

  /** Applies changes that are already stored; publishes nothing. */
  apply(changes: readonly Change[]): void {
    this.#work = new UnitOfWork();
    for (const { collection, id, row } of changes) this.#put(collection as Collection, id, row);
    this.#work = undefined;
  }

  /** Rows by collection, oldest first. */
  collections(): Record<Collection, Row[]> {
    const rows = COLLECTIONS.map((collection) => [collection, anyTable(this.#tables, collection).list()]);
    return Object.fromEntries(rows) as Record<Collection, Row[]>;
  }

  get generator(): GeneratorMarks {
    return this.#generator.marks();
  }

  set generator(marks: GeneratorMarks) {
    this.#generator.restore(marks);
  }

  /** A random number in [0, 1), outside any unit of work. */
  chance(): number {
    return this.#generator.draw();
  }

  #expire(due: Deadline): void {
    try {
      this.#change(due);
    } catch (thrown) {
      if (thrown instanceof NotKept) this.#deadlines.add(due, isStillDueIn(this.#tables));
      throw thrown;
    }
  }

  #change({ at, collection, id }: Deadline): void {
    if (!isStillDueIn(this.#tables)({ at, collection, id })) return;
    const row = anyTable(this.#tables, collection).get(id);
    const { expired } = TABLES[collection].deadline as { expired: (row: object) => Row };
    this.#commit(DEADLINE_OPTIONS, at, () => anyTable(this.#tables, collection).replace(expired(row)));
  }

  #commit<T>(
    options: TransactionOptions & { refusal?: NotKept | undefined },
    now: number,
    run: (env: Env) => T,
  ): Committed<T> {
    const work = new UnitOfWork();
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
      applyConsequences(env, work, options.isSetUp === true);
      this.#histories.trim(this.#tables, work.written());
      const changes = this.#store(work, options.refusal);
      for (const { collection, id, after } of changes) this.#noteDeadline(collection, id, after);
      return { result, changes, tokens: work.tokens };
    } catch (thrown) {
      work.rollBack();
      rewind();
      throw thrown;
    } finally {
      this.#work = undefined;
    }
  }

  /** Stores the changes and returns them. `refusal`: why nothing can be stored now. */
  #store(work: UnitOfWork, refusal: NotKept | undefined): RowChange[] {
    const changes = work.changes();
    try {
      if (changes.length > 0 && refusal) throw refusal;
      if (changes.length > 0) this.#settings.onCommit(changes);
      return changes;
    } catch (thrown) {
      if (!(thrown instanceof NotKept) || !work.recordsOnlyUse) throw thrown;
      work.rollBack();
      return [];
    }
  }

  /** Units of work inherit the part of Env that never changes. */
  #env({ caller, baseUrl, leavesNothing, outcomes }: TransactionOptions, now: number, work: UnitOfWork): Env {
    const own = {
      clock: new Moment(now),
      caller,
      baseUrl,
      draw: new UnitDraws(this.#generator, this.#tableList, now),
      token: (claims: Claims, hashes = {}) => work.issue({ claims, hashes }),
      trace: <T>(run: () => T) => work.trace(run),
      ask: leavesNothing ? allowWithoutAsking : outcomeLookup(outcomes),
    };
    return Object.assign(Object.create(this.#fixedEnv) as FixedEnv, own);
  }

  #put(collection: Collection, id: string, row: Row | null): void {
    const table = anyTable(this.#tables, collection);
    const isThere = table.find(id) !== undefined;
    if (row === null) {
      if (isThere) table.remove(id);
    } else if (isThere) table.replace(row);
    else table.insert(row);
    this.#noteDeadline(collection, id, row ?? undefined);
  }

  #noteDeadline(collection: Collection, id: string, row: object | undefined): void {
    const at = row && deadlineOf(collection, row);
    if (at === undefined) return;
    this.#deadlines.add({ at, collection, id }, isStillDueIn(this.#tables));
    this.#settings.onDeadline(at);
  }

  #recorder(): UnitOfWork {
    if (!this.#work) throw new Error('rows are written in a unit of work only');
    return this.#work;
  }
}
