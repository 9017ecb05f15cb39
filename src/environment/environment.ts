import { allOrNothing } from '../scenarios/lint.ts';
import { LoadedScenarios, type LoadedName } from '../scenarios/rules.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { Collections } from '../store/change-log.ts';
import type { DurableLogOfEnvironment } from '../store/store.ts';
import { ActivityFeed } from './activity-feed.ts';
import { Activity, publishChanges } from './activity.ts';
import { uptime, type Clock, type ClockSettings } from './clock.ts';
import { Coverage } from './coverage.ts';
import type { Credentials } from './credentials.ts';
import { dueCallsIn } from './due-calls.ts';
import type { FirstWrite } from './durable-log.ts';
import { DurableState, type DurableStateSettings } from './durable-state.ts';
import type { Tables, Env } from './env.ts';
import type { FixtureRows } from './fixture/frozen-rows.ts';
import { Journal } from './journal/journal.ts';
import { VerifiedTokens } from './keys.ts';
import { RateWindow } from './rate-window.ts';
import { PARTS, SAVED, Snapshots, type Part, type SavePoint } from './save-point.ts';
import { scenarioHostOf } from './scenario-edits.ts';
import type { Shared } from './shared.ts';
import type { Committed, TransactionOptions } from './unit-of-work.ts';

export type EnvironmentSettings = Omit<DurableStateSettings, 'onChanges'>;

/** One environment and all that is mutable around it: scenarios, journal, and where it goes back to. */
export class Environment {
  readonly name: string;
  readonly credentials: Credentials;
  /** Whether it refuses fields that the contract does not name; undefined: as `--strict` says. */
  readonly strict: boolean | undefined;
  readonly clock: Clock;
  readonly activity = new Activity();
  /** What was seen, whatever is reset. */
  readonly coverage = new Coverage();
  readonly journal: Journal;
  readonly scenarios: LoadedScenarios;
  readonly rateWindow = new RateWindow();
  readonly snapshots = new Snapshots();
  readonly verified = new VerifiedTokens();
  #feed: ActivityFeed | undefined;
  readonly #settings: EnvironmentSettings;
  readonly #shared: Shared;
  readonly #env: DurableState;
  #lastUse = uptime();
  #initial: readonly Scenario[] = [];
  #start: SavePoint;

  constructor(settings: EnvironmentSettings, fixture: FixtureRows, shared: Shared) {
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
    this.#env = new DurableState({ ...settings, onChanges }, fixture, shared);
    this.clock = this.#env.clock;
    this.scenarios = new LoadedScenarios(scenarioHostOf(this.#env), this.coverage.rules);
    this.journal = new Journal(this.name, shared.journal, (entry, isOld) => {
      this.coverage.count(entry);
      shared.onCalled(entry, this.name);
      if (!isOld) this.activity.publish({ kind: 'request', entry }); // its id is another call's by now
    });
    this.#start = this.save();
  }

  /** The latest news, from the first time that somebody asks on. */
  get feed(): ActivityFeed {
    return (this.#feed ??= new ActivityFeed(this.activity, this.#shared.journal.redact));
  }

  /** Whether it outlives the process. */
  get isKept(): boolean {
    return this.#env.isKept;
  }

  /** When somebody last called it or asked for it, in milliseconds of `uptime`. */
  get lastUse(): number {
    return this.#lastUse;
  }

  use(): this {
    this.#lastUse = uptime();
    return this;
  }

  /** The rows to look at, as time has left them. */
  get tables(): Tables {
    return this.#env.tables;
  }

  /**
   * Runs a unit of work: all of it stands, or, when it throws, nothing does. It is in the change log when this
   * returns.
   */
  transact<T>(options: TransactionOptions, run: (env: Env) => T): Committed<T> {
    return this.#env.transact(options, run);
  }

  /** Everything due by the new time has happened when this returns. */
  setClock(settings: ClockSettings): void {
    this.#env.setClock(settings);
    this.#tellTime();
  }

  /** `distance` in milliseconds. Everything due has happened, in order, when this returns. */
  advance(distance: number): void {
    this.#env.advance(distance);
    this.#tellTime();
  }

  /** All or nothing: clock, state and rules of a scenario. One of the same name is replaced. */
  loadScenario(scenario: Scenario): LoadedName {
    const before = this.scenarios.restores(scenario.name) ? this.save() : undefined;
    try {
      if (before) this.scenarios.unload(scenario.name);
      const loaded = this.scenarios.load(scenario, this.#env.edits.host(scenario.state, scenario.clock));
      this.activity.publish({ kind: 'scenario', change: 'loaded', name: scenario.name });
      return loaded;
    } catch (thrown) {
      if (before) this.#goBack(before, SAVED);
      throw thrown;
    }
  }

  /** To be called before anything else happens. A reset goes back to where these are loaded. */
  beginWith(scenarios: readonly Scenario[]): void {
    this.#initial = scenarios;
    this.#loadInitial();
    this.#start = this.save();
  }

  /** From now on time passes by itself, and what waits to be sent is sent. */
  live(): this {
    this.#env.live();
    this.#shared.outgoing.resume(this);
    return this;
  }

  /** Where `restore` leads back to. The cost does not depend on how many rows there are. */
  save(): SavePoint {
    return { ...this.#env.save(), scenarios: this.scenarios.save(), counted: this.rateWindow.save() };
  }

  /** As it was then; as often as one likes. The journal goes on. */
  restore(point: SavePoint): void {
    this.#goBack(point, SAVED);
    this.activity.publish({ kind: 'reset', parts: [...SAVED] });
    this.#shared.outgoing.resume(this);
  }

  /** Another environment that goes on from here, apart from this one: it has none of its credentials. */
  fork({ name, credentials }: { name: string; credentials: Credentials }): Environment {
    const { seed, strict } = this.#settings;
    const point = this.save();
    const settings = { name, credentials, seed, strict, clock: point.clock };
    const fork = new Environment(settings, point.state.fixture, this.#shared);
    fork.#env.adopt(point, this.credentials);
    fork.scenarios.restore(point.scenarios);
    fork.rateWindow.restore(point.counted);
    fork.#start = fork.save();
    return fork;
  }

  /** As at the start, or the given parts of it. The cost does not depend on how many rows there are. */
  reset(parts: ReadonlySet<Part> = new Set(PARTS)): void {
    this.#goBack(this.#start, parts);
    if (parts.has('requests')) this.journal.reset();
    this.activity.publish({ kind: 'reset', parts: [...parts] });
    this.#shared.outgoing.resume(this);
  }

  /** From now on this is the fixture; everything starts again with it, or nothing has changed. */
  useFixture(fixture: FixtureRows): void {
    const before = this.save();
    try {
      this.#env.start(fixture);
      this.#loadInitial();
    } catch (thrown) {
      this.#goBack(before, SAVED);
      throw thrown;
    }
    this.#start = this.save();
    this.journal.reset();
    this.activity.publish({ kind: 'reset', parts: [...PARTS] });
    this.#shared.outgoing.resume(this);
  }

  /** Puts other rows in the place of all. A reset still goes back to the start. Ids that were given stay given. */
  putState(rows: Collections): void {
    this.#env.putState(rows);
    this.scenarios.keepChanges();
    this.#shared.outgoing.resume(this);
  }

  /** What the log knows happens again; from now on every commit is in it before its answer is sent. */
  async remember(durable: DurableLogOfEnvironment, first: FirstWrite): Promise<void> {
    if (this.#env.recall(durable)) this.#loadInitial();
    await this.#env.attach(durable, first);
  }

  /** Resolves once the calls were made that are due here and need nobody outside of the process. */
  settled(): Promise<void> {
    return this.#shared.outgoing.settled(this);
  }

  collections(): Collections {
    return this.#env.collections();
  }

  /** All that a reset puts back, as plain data. */
  resettable() {
    return {
      collections: this.collections(),
      marks: this.#env.marks(),
      scenarios: this.scenarios.list(),
      counted: this.rateWindow.save(),
    };
  }

  /** Folds the log into the file; nothing is written afterwards. */
  close(): Promise<void> {
    return this.#env.close();
  }

  /** File and log are gone. */
  drop(): Promise<void> {
    this.activity.end('dropped');
    return this.#env.drop();
  }

  #goBack(point: SavePoint, parts: ReadonlySet<Part>): void {
    allOrNothing(this.scenarios, () => {
      if (parts.has('scenarios') && !parts.has('state')) this.scenarios.clear();
      this.#env.restore(point, parts);
    });
    if (parts.has('scenarios')) this.scenarios.restore(point.scenarios);
    else if (parts.has('state')) this.scenarios.keepChanges();
    if (parts.has('state')) this.rateWindow.restore(point.counted);
  }

  #tellTime(): void {
    this.activity.publish({ kind: 'clock', clock: this.clock.view() });
  }

  #loadInitial(): void {
    this.scenarios.reset();
    for (const scenario of this.#initial) this.loadScenario(scenario);
  }
}
