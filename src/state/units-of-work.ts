import type { Moment } from './clock.ts';
import { applyConsequences } from '../environment/consequences.ts';
import type { Env, RowChange, Tables } from './env.ts';
import { Histories } from './histories.ts';
import { allowWithoutAsking, outcomeLookup, type InterceptorInvocation } from './interceptor-invocation.ts';
import { claimsIn, type Claims } from './keys.ts';
import { NotKept } from '../environment/durable-log.ts';
import { providerLookup, withoutCalling, type ProviderCall } from './provider-call.ts';
import { removeRow } from './cascade.ts';
import type { UnitServices } from '../environment/services.ts';
import type { State } from './state.ts';
import {
  UnitDraws,
  UnitOfWork,
  type Committed,
  type IdLookup,
  type TransactionOptions,
} from './unit-of-work.ts';

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

  /** `time`: when the unit happens. The changes are in the log when this returns; `DurableLog.kept` says when they are stored. */
  run<T>(options: UnitOptions, time: Moment, run: (env: Env) => T): Committed<T> {
    const { state } = this.#settings;
    const { work, env } = this.#begin(options, time);
    state.work = work;
    try {
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

  #begin(options: TransactionOptions, clock: Moment): { work: UnitOfWork; env: Env } {
    const { caller, baseUrl, leavesNothing, outcomes, provided } = options;
    const { list, env } = this.#commonEnv();
    const work = new UnitOfWork(this.#settings.state.generator);
    let lookup: Env['ask'] | undefined;
    let providers: Env['callProvider'] | undefined;
    const own = {
      draw: new UnitDraws(work, list, clock.ms),
      clock,
      caller,
      baseUrl,
      token: (claims: Claims, hashes = {}) => work.issue({ claims, hashes }),
      trace: <T>(run: () => T) => work.trace(run),
      ask: (invocation: InterceptorInvocation) =>
        (lookup ??= leavesNothing ? allowWithoutAsking : outcomeLookup(outcomes))(invocation),
      callProvider: (call: ProviderCall) =>
        (providers ??= leavesNothing ? withoutCalling : providerLookup(provided))(call),
    };
    return { work, env: Object.assign(Object.create(env) as CommonEnv, own) };
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
