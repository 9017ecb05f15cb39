import { Moment } from './clock.ts';
import { applyConsequences } from './consequences.ts';
import type { Draws, Env, RowChange, Tables } from './env.ts';
import { Histories } from './histories.ts';
import { allowWithoutAsking, outcomeLookup, type InterceptorInvocation } from './interceptor-invocation.ts';
import { claimsIn, type Claims } from './keys.ts';
import { NotKept } from './not-kept.ts';
import { providerLookup, withoutCalling, type ProviderCall } from './provider-call.ts';
import { removeRow } from './rows/cascade.ts';
import type { UnitServices } from './services.ts';
import type { State } from './state.ts';
import { UnitOfWork, type Committed, type TransactionOptions } from './unit-of-work.ts';

export interface UnitsSettings {
  /** The name of the environment. */
  environment: string;
  state: State;
  services: UnitServices;
  /** Stores and publishes the changes of a unit of work. A throw rolls them back. */
  onCommit: (changes: readonly RowChange[]) => void;
}

export interface UnitOptions extends TransactionOptions {
  /** Why nothing can be stored now: only units that write nothing succeed. */
  refusal?: NotKept | undefined;
}

/** The part of Env that is the same for all units of work. */
type CommonEnv = Omit<
  Env,
  'clock' | 'caller' | 'baseUrl' | 'draw' | 'token' | 'trace' | 'ask' | 'callProvider'
>;

/** Runs units of work in one environment: all of a unit or, if it throws, nothing. */
export class UnitsOfWork {
  readonly #settings: UnitsSettings;
  readonly #histories: Histories;
  #common: { tables: Tables; list: readonly IdLookup[]; env: CommonEnv } | undefined;

  constructor(settings: UnitsSettings) {
    this.#settings = settings;
    const { history: limit, warn } = settings.services;
    this.#histories = new Histories({ environment: settings.environment, limit, warn });
  }

  /** `now`: the time of the unit in milliseconds since 1970. The changes are in the log when this returns; `DurableLog.kept` says when they are stored. */
  run<T>(options: UnitOptions, now: number, run: (env: Env) => T): Committed<T> {
    const { state } = this.#settings;
    const work = (state.work = new UnitOfWork(state.generator));
    try {
      const env = this.#env(options, now, work);
      const result = run(env);
      if (options.leavesNothing) {
        work.undo();
        return { result, changes: [], tokens: work.tokens };
      }
      if (work.isEmpty) return { result, changes: [], tokens: work.tokens };
      applyConsequences(env, work, options.isSetUp === true);
      this.#histories.trim(state.tables, work.written());
      const changes = this.#store(work, options.refusal);
      for (const { collection, id, after } of changes) state.noteDeadline(collection, id, after);
      return { result, changes, tokens: work.tokens };
    } catch (thrown) {
      work.undo();
      throw thrown;
    } finally {
      state.work = undefined;
    }
  }

  /** Stores the changes and returns them. */
  #store(work: UnitOfWork, refusal: NotKept | undefined): RowChange[] {
    const changes = work.changes();
    if (changes.length === 0) return changes; // a row was created and removed again
    try {
      if (refusal) throw refusal;
      this.#settings.onCommit(changes);
      return changes;
    } catch (thrown) {
      if (!(thrown instanceof NotKept) || !work.recordsOnlyUse) throw thrown;
      work.rollBack();
      return [];
    }
  }

  #env(options: TransactionOptions, now: number, work: UnitOfWork): Env {
    const { caller, baseUrl, leavesNothing, outcomes, provided } = options;
    const { list, env } = this.#commonEnv();
    let lookup: Env['ask'] | undefined;
    let providers: Env['callProvider'] | undefined;
    const own = {
      draw: new UnitDraws(work, list, now),
      clock: new Moment(now),
      caller,
      baseUrl,
      token: (claims: Claims, hashes = {}) => work.issue({ claims, hashes }),
      trace: <T>(run: () => T) => work.trace(run),
      ask: (invocation: InterceptorInvocation) =>
        (lookup ??= leavesNothing ? allowWithoutAsking : outcomeLookup(outcomes))(invocation),
      callProvider: (call: ProviderCall) =>
        (providers ??= leavesNothing ? withoutCalling : providerLookup(provided))(call),
    };
    return Object.assign(Object.create(env) as CommonEnv, own);
  }

  /** Made once for the tables of a state, because copying 40 tables would cost more than most units. */
  #commonEnv() {
    const { environment, services, state } = this.#settings;
    const { tables } = state;
    if (this.#common?.tables === tables) return this.#common;
    const env: CommonEnv = {
      ...tables,
      environment,
      jwks: () => services.keys.jwks(),
      claims: (token) => claimsIn(environment, services.keys.verifySync(token)),
      schemas: services.schemas,
      autoLogin: services.autoLogin,
      providerAddress: (provider) => services.providerAddresses?.[provider.toLowerCase()],
      remove: (collection, id) => removeRow(tables, collection, id),
    };
    return (this.#common = { tables, list: Object.values(tables), env });
  }
}

interface IdLookup {
  has(id: string): boolean;
}

class UnitDraws implements Draws {
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
