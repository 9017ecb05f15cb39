import type { RuleId } from '../contract/rule-ids.gen.ts';
import type { SchemaChecks } from '../contract/json-schema/checks.ts';
import type { UnknownField } from '../contract/types.ts';
import { UnitOfWork } from '../rows/unit-of-work.ts';
import type { Change, Row } from '../store/change-log.ts';
import { NotKept } from '../store/not-kept.ts';
import { removeRow, removing } from './schema.ts';
import type { Moment } from './clock.ts';
import type { Caller, Env, RowChange, Tables, Collection } from './env.ts';
import { Histories } from './histories.ts';
import { Draws, type IdLookup } from './ids.ts';
import {
  allowWithoutAsking,
  outcomeLookup,
  type InterceptorInvocation,
  type InterceptorOutcomes,
} from './interceptor-invocation.ts';
import { claimsIn, issuedBy, verifySync, type Claims, type Issuer, type UnsignedToken } from './keys.ts';
import { providerLookup, withoutCalling, type ProviderCall, type ProviderOutcomes } from './provider-call.ts';
import { currentKey, verifyingKeys } from './signing-keys.ts';
import type { State } from './state.ts';
import { shortened } from '@understudy/text/suggestion';

/** What the units of work of all environments share; it does not change their answers. */
export interface UnitServices {
  schemas: SchemaChecks;
  autoLogin?: string | undefined;
  /** Addresses that calls to providers are passed on to, by the provider in lower case. */
  providerAddresses?: Readonly<Record<string, string>>;
  /** What changes of rows cause besides, within their unit of work. */
  consequences: readonly Consequence[];
  /** Rows that each history keeps. */
  history: number;
  /** Prints a warning. */
  warn: (line: string) => void;
}

/** Of one note in the journal. Messages of others may hold names of any length. */
const LONGEST_NOTE = 1_000;

/** What changes of rows cause besides, within the unit of work that makes the changes. */
export interface Consequence {
  /** Runs if a row of one of these was written. */
  readonly collections: ReadonlySet<Collection>;
  /** Whether it also runs for rows that are set up: by a fixture, a scenario or a tester. */
  readonly onSetUp: boolean;
  /** `changes`: all of the unit of work, and those of the consequences that are registered before this one. */
  readonly apply: (env: Env, changes: readonly RowChange[]) => Steps<void>;
}

interface UnitsSettings {
  environment: Issuer;
  state: State;
  services: UnitServices;
  /** Stores and publishes the changes of a unit of work. A throw rolls them back. */
  onCommit: (changes: readonly RowChange[]) => void;
}

type Steps<T> = Generator<undefined, T, undefined>;

/** A unit of work that takes long. */
export interface LongUnit<T, R = Committed<T>> {
  /** Called before each run. */
  begin: () => { options: UnitOptions; time: Moment };
  run: (env: Env) => Steps<T>;
  /** Called in the last step, with the function that makes the changes. */
  commit: (make: () => Committed<T>) => R;
}

/** The unit of work was undone, and can run again once these steps have run. */
export class PreparationNeeded extends Error {
  readonly steps: Steps<void>;
  /** For the next run. */
  readonly kept: Map<string, unknown>;

  constructor(steps: Steps<void>, kept: Map<string, unknown>) {
    super('a unit of work needs a long preparation');
    this.steps = steps;
    this.kept = kept;
  }
}

/** How often a long unit of work is begun again because others have written, before it runs in one step. */
const MOST_TRIES = 3;

/** Takes the removals out of the list. */
function* allOf(removals: Steps<void>[]): Steps<void> {
  for (let next = removals.shift(); next; next = removals.shift()) yield* next;
}

/** Collects the changes after each step, because collecting all of them at the end would block the process. */
function* gathering<T>(work: StateUnit, steps: Steps<T>): Steps<T> {
  for (;;) {
    const step = steps.next();
    work.gather();
    if (step.done) return step.value;
    yield;
  }
}

function allSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

interface UnitOptions extends TransactionOptions {
  /** Why nothing can be stored now: only units that write nothing succeed. */
  refusal?: NotKept | undefined;
}

/** The part of Env that is the same for all units of work. */
type CommonEnv = Omit<
  Env,
  | 'clock'
  | 'caller'
  | 'callerAddress'
  | 'baseUrl'
  | 'draw'
  | 'remove'
  | 'prepare'
  | 'kept'
  | 'token'
  | 'claims'
  | 'trace'
  | 'ask'
  | 'callProvider'
  | 'note'
  | 'decidedBy'
  | 'isStrict'
  | 'ignored'
>;

type StateUnit = UnitOfWork<Collection>;

/** Runs units of work in one environment: all of a unit or, if it throws, nothing. */
export class UnitsOfWork {
  readonly #settings: UnitsSettings;
  readonly #histories: Histories;
  #common: { tables: Tables; list: readonly IdLookup[]; env: CommonEnv } | undefined;

  constructor(settings: UnitsSettings) {
    this.#settings = settings;
    const { history: limit, warn } = settings.services;
    this.#histories = new Histories({ environment: settings.environment.name, limit, warn });
  }

  /** `time`: when the unit happens. The changes are in the log when this returns; `DurableLog.kept` says when they are stored. */
  run<T>(options: UnitOptions, time: Moment, run: (env: Env) => T): Committed<T> {
    const { state } = this.#settings;
    const { work, draws, told, env } = this.#begin(options, time);
    state.work = work;
    try {
      const result = run(env);
      if (options.leavesNothing) {
        undo(work, draws);
        return { result, changes: [], ...told };
      }
      if (work.isEmpty) return { result, changes: [], ...told };
      this.#applyConsequences(env, work, options.isSetUp === true);
      this.#histories.trim(state.tables, work.written());
      const changes = this.#store(work, options.refusal);
      for (const { collection, id, after } of changes) state.noteDeadline(collection, id, after);
      return { result, changes, ...told };
    } catch (thrown) {
      undo(work, draws);
      throw thrown;
    } finally {
      state.work = undefined;
    }
  }

  /**
   * Like `run`, in steps between which others may run: it writes a copy of the rows, which takes their place in the last step. If
   * others have written meanwhile, it runs again, at last in one step.
   */
  *runInSteps<T, R = Committed<T>>({ begin, run, commit }: LongUnit<T, R>): Steps<R> {
    const { state } = this.#settings;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { options, time } = begin();
      const version = state.version;
      const copy = state.copy();
      const planned = yield* this.#on(copy).#plan(options, time, run);
      if (state.version === version) return commit(() => this.#adopt(copy, planned, options.refusal));
    }
    return commit(() => {
      const { options, time } = begin();
      return this.run({ ...options, canWait: false }, time, (env) => allSteps(run(env)));
    });
  }

  /** The changes that a tester would make who removes the row. They are made on a copy of the rows. */
  *foreseeRemoval(time: Moment, collection: Collection, id: string): Steps<RowChange[]> {
    const units = this.#on(this.#settings.state.copy());
    const options = { ...SET_UP, leavesNothing: true };
    const { changes } = yield* units.#plan(options, time, function* (env) {
      env.remove(collection, id);
      yield;
    });
    return changes;
  }

  #on(state: State): UnitsOfWork {
    return new UnitsOfWork({ ...this.#settings, state, onCommit: () => {} });
  }

  /** Makes the changes of a unit of work, and stores nothing. */
  *#plan<T>(options: UnitOptions, time: Moment, run: (env: Env) => Steps<T>): Steps<Committed<T>> {
    const { state, services } = this.#settings;
    const { work, told, env } = this.#begin(options, time);
    const removals: Steps<void>[] = [];
    env.remove = (collection, id) => {
      const removal = removing(state.tables, collection, id);
      removal.next();
      removals.push(removal);
    };
    state.work = work;
    const result = yield* gathering(work, run(env));
    yield* gathering(work, allOf(removals));
    if (work.isEmpty) return { result, changes: [], ...told };
    for (const consequence of services.consequences) {
      yield* gathering(work, this.#apply(consequence, env, work, options.isSetUp === true));
      yield* gathering(work, allOf(removals));
      yield;
    }
    this.#histories.trim(state.tables, work.written());
    return { result, changes: work.changes(), ...told };
  }

  #adopt<T>(copy: State, planned: Committed<T>, refusal: NotKept | undefined): Committed<T> {
    const { state, onCommit } = this.#settings;
    const { changes } = planned;
    if (changes.length === 0) return planned;
    if (refusal) throw refusal;
    const before = state.save();
    state.adopt(copy);
    try {
      onCommit(changes);
    } catch (thrown) {
      state.restore(before);
      throw thrown;
    }
    for (const { collection, id, after } of changes) state.noteDeadline(collection, id, after);
    return planned;
  }

  #applyConsequences(env: Env, work: StateUnit, isSetUp: boolean): void {
    for (const consequence of this.#settings.services.consequences)
      allSteps(this.#apply(consequence, env, work, isSetUp));
  }

  *#apply(consequence: Consequence, env: Env, work: StateUnit, isSetUp: boolean): Steps<void> {
    const { collections, onSetUp, apply } = consequence;
    if ((onSetUp || !isSetUp) && work.touches(collections)) yield* apply(env, work.changes());
  }

  /** Stores the changes and returns them. */
  #store(work: StateUnit, refusal: NotKept | undefined): RowChange[] {
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

  #begin(options: TransactionOptions, clock: Moment) {
    const { caller, callerAddress, baseUrl, isStrict = false, leavesNothing, outcomes, provided } = options;
    const { list, env } = this.#commonEnv();
    const { environment } = this.#settings;
    const { signing_keys } = env;
    const work: StateUnit = new UnitOfWork();
    const draws = new Draws(this.#settings.state.generator, list, clock.ms);
    const tokens = new Map<string, UnsignedToken>();
    const notes: string[] = [];
    const rules: RuleId[] = [];
    const unknown: UnknownField[] = [];
    let lookup: Env['ask'] | undefined;
    let providers: Env['callProvider'] | undefined;
    const own = {
      draw: draws,
      clock,
      caller,
      callerAddress,
      baseUrl,
      ...preparation(options),
      remove: (collection: Collection, id: string) => removeRow(env, collection, id, options.canWait),
      token: (claims: Claims, hashes = {}) =>
        issue(tokens, { key: currentKey(signing_keys), claims: issuedBy(environment, claims), hashes }),
      claims: (token: string) =>
        claimsIn(environment, verifySync(token, verifyingKeys(signing_keys, clock.ms))),
      trace: <T>(run: () => T) => work.trace(run),
      note: (text: string) => void notes.push(shortened(text, LONGEST_NOTE)),
      decidedBy: (rule: RuleId) => {
        if (!rules.includes(rule)) rules.push(rule);
      },
      isStrict,
      ignored: (fields: readonly UnknownField[]) => void unknown.push(...fields),
      ask: (invocation: InterceptorInvocation) =>
        (lookup ??= leavesNothing ? allowWithoutAsking : outcomeLookup(outcomes))(invocation),
      callProvider: (call: ProviderCall) =>
        (providers ??= leavesNothing ? withoutCalling : providerLookup(provided))(call),
    };
    const whole: Env = Object.assign(Object.create(env) as CommonEnv, own);
    return { work, draws, told: { tokens, notes, rules, unknown }, env: whole };
  }

  /** Made once for the tables of a state, because copying 40 tables would cost more than most units. */
  #commonEnv() {
    const { environment, services, state } = this.#settings;
    const { tables } = state;
    if (this.#common?.tables === tables) return this.#common;
    const env: CommonEnv = {
      ...tables,
      environment: environment.name,
      schemas: services.schemas,
      autoLogin: services.autoLogin,
      providerAddress: (provider) => services.providerAddresses?.[provider.toLowerCase()],
    };
    return (this.#common = { tables, list: Object.values(tables), env });
  }
}

function preparation({ canWait, kept = new Map<string, unknown>() }: TransactionOptions) {
  const prepare = (steps: Steps<void>) => {
    if (canWait) throw new PreparationNeeded(steps, kept);
    allSteps(steps);
  };
  return { kept, prepare };
}

/** Reverts rows and draws. */
function undo(work: StateUnit, draws: Draws): void {
  work.rollBack();
  draws.undo();
}

/** Returns the placeholder for a token until it is signed. */
function issue(tokens: Map<string, UnsignedToken>, token: UnsignedToken): string {
  const placeholder = `unsigned token ${tokens.size}`;
  tokens.set(placeholder, token);
  return placeholder;
}

export const logged = (changes: readonly RowChange[]): Change[] =>
  changes.map(({ collection, id, after }) => ({ collection, id, row: (after as Row | undefined) ?? null }));

export interface TransactionOptions {
  caller?: Caller | undefined;
  callerAddress?: string | undefined;
  baseUrl: string;
  /** Whether fields that nothing names are refused. */
  isStrict?: boolean;
  /** Whether `LongRemoval` and `PreparationNeeded` may be thrown: the caller runs the unit again. */
  canWait?: boolean;
  /** Rolls everything back at the end, for dry runs. */
  leavesNothing?: boolean;
  /** The rows are set up, so no events are recorded. */
  isSetUp?: boolean;
  /** What earlier runs of the operation have kept. */
  kept?: Map<string, unknown> | undefined;
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
  /** For the journal. */
  notes: readonly string[];
  /** Rules that no source of the service states, and that decided what happened. For the journal. */
  rules: readonly RuleId[];
  /** Fields that nothing names, and that the operation ignored. */
  unknown: readonly UnknownField[];
}
