import { allOrNothing } from '../scenarios/lint.ts';
import { LoadedScenarios, type LoadedName } from '../scenarios/rules.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { Collections } from '../store/change-log.ts';
import type { EnvironmentLog } from '../store/file-store.ts';
import { ActivityFeed } from './activity-feed.ts';
import { Activity, publishChanges } from './activity.ts';
import { uptime, type Clock, type ClockSettings } from './clock.ts';
import { Coverage } from './coverage.ts';
import type { Credentials } from './credentials.ts';
import { dueCallsIn } from './due-calls.ts';
import type { FirstWrite } from './durable-log.ts';
import { DurableState, type DurableStateSettings } from './durable-state.ts';
import type { Tables, Env } from './env.ts';
import type { FixtureRows } from './fixture/fixture-rows.ts';
import { Journal } from './journal/journal.ts';
import { VerifiedTokens } from './keys.ts';
import { RateWindow } from './rate-window.ts';
import { RESET_PARTS, SAVED_PARTS, Snapshots, type ResetPart, type SavePoint } from './save-point.ts';
import { scenarioHostOf } from './scenario-edits.ts';
import type { EnvironmentServices } from './shared.ts';
import type { Committed, TransactionOptions } from './unit-of-work.ts';

export type EnvironmentSettings = Omit<DurableStateSettings, 'onChanges'>;

/** One environment: state, clock, scenarios, journal, and the start to which a reset returns. */
export class Environment {
  readonly name: string;
  readonly credentials: Credentials;
  /** Whether fields that the contract does not name are refused; undefined: as `--strict` says. */
  readonly strict: boolean | undefined;
  readonly clock: Clock;
  readonly activity = new Activity();
  /** Survives resets. */
  readonly coverage = new Coverage();
  readonly journal: Journal;
  readonly scenarios: LoadedScenarios;
  readonly rateWindow = new RateWindow();
  readonly snapshots = new Snapshots();
  readonly verified = new VerifiedTokens();
  #feed: ActivityFeed | undefined;
  readonly #settings: EnvironmentSettings;
  readonly #shared: EnvironmentServices;
  readonly #state: DurableState;
  #lastUse = uptime();
  #initial: readonly Scenario[] = [];
  #start: SavePoint;

  constructor(settings: EnvironmentSettings, fixture: FixtureRows, shared: EnvironmentServices) {
    this.name = settings.name;
    this.credentials = settings.credentials;
    this.strict = settings.strict;
    this.#settings = settings;
    this.#shared = shared;
    const onChanges: DurableStateSettings['onChanges'] = (changes) => {
      publishChanges(changes, this.activity);
      this.coverage.countEvents(changes);
      shared.outgoing.dispatch(this, dueCallsIn(changes));
    };
    this.#state = new DurableState({ ...settings, onChanges }, fixture, shared);
    this.clock = this.#state.clock;
    this.scenarios = new LoadedScenarios(scenarioHostOf(this.#state), this.coverage.rules);
    this.journal = new Journal(this.name, shared.journal, (entry, isOld) => {
      this.coverage.count(entry);
      shared.onCalled(entry, this.name);
      if (!isOld) this.activity.publish({ kind: 'request', entry }); // its id belongs to another call by now
    });
    this.#start = this.save();
  }

  /** The latest activity; collected from the first access on. */
  get feed(): ActivityFeed {
    return (this.#feed ??= new ActivityFeed(this.activity, this.#shared.journal.redact));
  }

  /** Whether the environment is stored on disk. */
  get isKept(): boolean {
    return this.#state.isKept;
  }

  /** The last call or access, in milliseconds of `uptime`. */
  get lastUse(): number {
    return this.#lastUse;
  }

  markUsed(): this {
    this.#lastUse = uptime();
    return this;
  }

  /** The rows after everything due by now has happened. */
  get tables(): Tables {
    return this.#state.tables;
  }

  /**
   * Runs a unit of work: all of it or, if it throws, nothing. The changes are in the change log when this returns.
   */
  transact<T>(options: TransactionOptions, run: (env: Env) => T): Committed<T> {
    return this.#state.transact(options, run);
  }

  /** Everything due by the new time has happened when this returns. */
  setClock(settings: ClockSettings): void {
    this.#state.setClock(settings);
    this.#publishTime();
  }

  /** `distance` in milliseconds. Everything due has happened, in order, when this returns. */
  advance(distance: number): void {
    this.#state.advance(distance);
    this.#publishTime();
  }

  /** Loads clock, state and rules, or nothing. Replaces a loaded scenario of the same name. */
  loadScenario(scenario: Scenario): LoadedName {
    const before = this.scenarios.restores(scenario.name) ? this.save() : undefined;
    try {
      if (before) this.scenarios.unload(scenario.name);
      const applied = this.#state.edits.applyState(scenario.state, scenario.clock);
      const loaded = this.scenarios.load(scenario, applied);
      this.activity.publish({ kind: 'scenario', change: 'loaded', name: scenario.name });
      return loaded;
    } catch (thrown) {
      if (before) this.#restoreParts(before, SAVED_PARTS);
      throw thrown;
    }
  }

  /** Call this first. A reset returns to the state with these scenarios loaded. */
  startWithScenarios(scenarios: readonly Scenario[]): void {
    this.#initial = scenarios;
    this.#loadInitial();
    this.#start = this.save();
  }

  /** Starts the timer for deadlines and sends what is waiting. */
  activate(): this {
    this.#state.startTimer();
    this.#shared.outgoing.resume(this);
    return this;
  }

  /** The cost does not depend on the number of rows. */
  save(): SavePoint {
    return { ...this.#state.save(), scenarios: this.scenarios.save(), counted: this.rateWindow.save() };
  }

  /** Can be repeated. The journal continues. */
  restore(point: SavePoint): void {
    this.#restoreParts(point, SAVED_PARTS);
    this.activity.publish({ kind: 'reset', parts: [...SAVED_PARTS] });
    this.#shared.outgoing.resume(this);
  }

  /** Creates an environment that continues from here on its own, with other credentials. */
  fork({ name, credentials }: { name: string; credentials: Credentials }): Environment {
    const { seed, strict } = this.#settings;
    const point = this.save();
    const settings = { name, credentials, seed, strict, clock: point.clock };
    const fork = new Environment(settings, point.state.fixture, this.#shared);
    fork.#state.continueFrom(point, this.credentials);
    fork.scenarios.restore(point.scenarios);
    fork.rateWindow.restore(point.counted);
    fork.#start = fork.save();
    return fork;
  }

  /** Returns to the start, or restores the given parts of it. The cost does not depend on the number of rows. */
  reset(parts: ReadonlySet<ResetPart> = new Set(RESET_PARTS)): void {
    this.#restoreParts(this.#start, parts);
    if (parts.has('requests')) this.journal.reset();
    this.activity.publish({ kind: 'reset', parts: [...parts] });
    this.#shared.outgoing.resume(this);
  }

  /** Starts again with another fixture. If that fails, nothing has changed. */
  useFixture(fixture: FixtureRows): void {
    const before = this.save();
    try {
      this.#state.startWith(fixture);
      this.#loadInitial();
    } catch (thrown) {
      this.#restoreParts(before, SAVED_PARTS);
      throw thrown;
    }
    this.#start = this.save();
    this.journal.reset();
    this.activity.publish({ kind: 'reset', parts: [...RESET_PARTS] });
    this.#shared.outgoing.resume(this);
  }

  /** Replaces all rows. A reset still returns to the start. Ids that were given out are never given out again. */
  replaceRows(rows: Collections): void {
    this.#state.replaceRows(rows);
    this.scenarios.keepChanges();
    this.#shared.outgoing.resume(this);
  }

  /** Replays the log; from now on every commit is in the log before the answer is sent. */
  async attachLog(durable: EnvironmentLog, first: FirstWrite): Promise<void> {
    if (this.#state.replayLog(durable)) this.#loadInitial();
    await this.#state.attachLog(durable, first);
  }

  /** Resolves once all due calls that stay inside this process are made. */
  settled(): Promise<void> {
    return this.#shared.outgoing.settled(this);
  }

  collections(): Collections {
    return this.#state.collections();
  }

  /** Everything that a reset restores, as plain data. */
  resettableState() {
    return {
      collections: this.collections(),
      marks: this.#state.marks(),
      scenarios: this.scenarios.list(),
      counted: this.rateWindow.save(),
    };
  }

  /** Folds the log into the snapshot; nothing is written afterwards. */
  close(): Promise<void> {
    return this.#state.close();
  }

  /** Deletes snapshot and log. */
  drop(): Promise<void> {
    this.activity.end('dropped');
    return this.#state.deleteFiles();
  }

  #restoreParts(point: SavePoint, parts: ReadonlySet<ResetPart>): void {
    allOrNothing(this.scenarios, () => {
      if (parts.has('scenarios') && !parts.has('state')) this.scenarios.clear();
      this.#state.restore(point, parts);
    });
    if (parts.has('scenarios')) this.scenarios.restore(point.scenarios);
    else if (parts.has('state')) this.scenarios.keepChanges();
    if (parts.has('state')) this.rateWindow.restore(point.counted);
  }

  #publishTime(): void {
    this.activity.publish({ kind: 'clock', clock: this.clock.view() });
  }

  #loadInitial(): void {
    this.scenarios.reset();
    for (const scenario of this.#initial) this.loadScenario(scenario);
  }
}
