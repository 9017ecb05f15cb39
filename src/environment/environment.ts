import type { Contract } from '../contract/contract.ts';
import {
  type UnitServices,
  logged,
  type Committed,
  type LongUnit,
  PreparationNeeded,
  type TransactionOptions,
  UnitsOfWork,
} from '../state/units-of-work.ts';
import { dueCallsIn, dueCallsOf, type CallingEnvironment } from '../webhooks/due-calls.ts';
import type { OutgoingCalls } from '../webhooks/outgoing-calls.ts';
import type { ConfiguredEndpoints } from '../state/configured-endpoints.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Entry } from '../journal/entry.ts';
import type { JournalSettings } from '../journal/journal-writer.ts';
import type { ScenarioCopy } from '../scenarios/scenario-copy.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { nextTurn, runInTurns } from '../scenarios/steps.ts';
import type { LoadedName } from '../scenarios/loaded-scenario.ts';
import { LoadedScenarios } from '../scenarios/rules.ts';
import type { Collections } from '../store/change-log.ts';
import type { EnvironmentLog, Rest } from '../store/storage.ts';
import { ActivityFeed } from './activity-feed.ts';
import { Activity, publishChanges } from '../journal/activity.ts';
import { Ticker } from './ticker.ts';
import { Clock, machineTime, uptime, type ClockSettings } from '../state/clock.ts';
import { Coverage } from '../coverage/coverage.ts';
import type { Credentials } from '../state/credentials.ts';
import { DurableLog, type FirstWrite } from './durable-log.ts';
import { EnvironmentFollower } from './log-follower.ts';
import type { Collection, Tables, Env, RowChange, Rows } from '../state/env.ts';
import type { FixtureRows } from '../state/fixture-rows.ts';
import { Generator } from '../state/ids.ts';
import { InitialScenarios, ScenarioLoader } from './scenario-loader.ts';
import { Journal } from '../journal/journal.ts';
import type { KeptTest, Origin } from './marks.ts';
import { Moments } from './moments.ts';
import { RateWindow } from '../state/rate-window.ts';
import { LongRemoval } from '../state/schema.ts';
import { SavePoints, type ResetPart } from './save-points.ts';
import type { Snapshots } from './snapshots.ts';
import { State, tablesAt } from '../state/state.ts';
import { StoredParts } from './stored-parts.ts';

/** What all environments of a process share. */
export interface EnvironmentServices extends UnitServices {
  /** The control API's contract, which describes the stored rows. */
  rows: Contract;
  journal: JournalSettings;
  outgoing: Pick<OutgoingCalls, 'dispatch' | 'resume' | 'settled'>;
  metrics: Metrics;
  webhooks: ConfiguredEndpoints;
  /** Reads a scenario that an earlier process has stored. */
  readScenario: (copy: ScenarioCopy) => Promise<Scenario>;
  /** Reports failures that no caller can be told. */
  report: (message: string, cause: unknown) => void;
  /** Called with each complete call and the name of its environment, if anybody wants to know. */
  onCalled: ((entry: Entry, environment: string) => void) | undefined;
}

interface EnvironmentSettings extends Origin {
  name: string;
  credentials: Credentials;
}

/**
 * How often a call prepares what it reads: others may write rows meanwhile that need preparation, too. The placeholders of a
 * template (`template-draws.ts`) take at most ten.
 */
const MOST_PREPARATIONS = 12;

/** One environment: state, clock, scenarios, journal, and all that else belongs to it. */
export class Environment implements CallingEnvironment {
  readonly name: string;
  readonly credentials: Credentials;
  /** What it was made from. */
  readonly made: EnvironmentSettings;
  /** By the machine's clock. */
  created = machineTime();
  /** The last call or access, in milliseconds of `uptime`. */
  lastUse = uptime();
  /** Calls that are being answered, streams included. */
  callsUnderWay = 0;
  /** Why calls change nothing here and get no answer of the service, as one sentence. Undefined: they do. */
  readOnly: string | undefined;
  /** The test for which the environment is kept: then it is neither dropped when idle nor put to rest. Undefined: none. */
  keptFor: KeptTest | undefined;
  readonly clock: Clock;
  readonly activity = new Activity();
  /** Survives resets. */
  readonly coverage = new Coverage();
  readonly journal: Journal;
  readonly log: DurableLog;
  readonly scenarios: LoadedScenarios;
  readonly rateWindow = new RateWindow();
  /** Where the latest token for a user came from, and where the keys were last fetched. */
  readonly addresses: { issuer?: string; keys?: string } = {};
  readonly moments: Moments;
  readonly savePoints: SavePoints;
  readonly snapshots: Snapshots;
  readonly #services: EnvironmentServices;
  readonly #state: State;
  readonly #units: UnitsOfWork;
  readonly #ticker: Ticker;
  readonly #loader: ScenarioLoader;
  #feed: ActivityFeed | undefined;
  readonly #initial: InitialScenarios;
  readonly #stored: StoredParts;

  constructor(settings: EnvironmentSettings, fixture: FixtureRows, services: EnvironmentServices) {
    const { name, seed } = settings;
    this.name = name;
    this.credentials = settings.credentials;
    this.made = settings;
    this.#services = services;
    const generator = new Generator(`${seed} ${name}`, this.generation);
    const clock = (this.clock = new Clock(settings.clock));
    const state = (this.#state = new State(generator, fixture, (at) => this.#ticker.addDeadline(at)));
    const onCommit = (changes: readonly RowChange[]) => this.#commit(changes);
    const units = (this.#units = new UnitsOfWork({ environment: this, state, services, onCommit }));
    const log = (this.log = new DurableLog(
      state,
      () => this.#stored,
      services,
      () => this.#follower(),
    ));
    const report = (thrown: unknown) => services.report(`what was due in environment ${name}`, thrown);
    const ticker = (this.#ticker = new Ticker({ clock, state, units, log, report }));
    const loader = new ScenarioLoader(this, { state, clock, units, ticker, rows: services.rows });
    this.#loader = loader;
    this.scenarios = new LoadedScenarios(loader.host, this.coverage.rules);
    const onCall = (entry: Entry, isOld: boolean) => this.#onCall(entry, isOld);
    this.journal = new Journal(name, services.journal, { onCall, counts: services.metrics.journal });
    this.#initial = new InitialScenarios(this.scenarios, loader);
    this.moments = new Moments({ state, clock, scenarios: this.scenarios, rateWindow: this.rateWindow });
    this.savePoints = this.#createSavePoints(fixture);
    const own = { state, initial: this.#initial, origin: settings };
    this.#stored = new StoredParts(this, own, services);
    this.snapshots = this.#stored.snapshots;
  }

  /** The latest activity; collected from the first access on. */
  get feed(): ActivityFeed {
    return (this.#feed ??= new ActivityFeed(this.activity, this.#services.journal.redact));
  }

  /** How many environments had the name before. */
  get generation(): number {
    return this.made.generation ?? 0;
  }

  /** Whether outgoing calls wait to be made. */
  get hasDueCalls(): boolean {
    return dueCallsOf(this.#state.tables).length > 0;
  }

  /** When time will change a row, by the clock of the environment; Infinity: never. */
  get nextDeadline(): number {
    return this.#state.deadlines.nextAt;
  }

  /** The settings of this environment, which time does not change. */
  get settings(): Rows['settings'] | undefined {
    return this.#state.tables.settings.find('settings');
  }

  /** The rows after everything due by now has happened. */
  get tables(): Tables {
    this.#runDue();
    return this.#state.tables;
  }

  /** Like `tables`, as they stay, whatever is written later. */
  tablesNow(): Tables {
    this.#runDue();
    return tablesAt(this.#state.save());
  }

  /** Like `tables`, as plain data: rows by collection, oldest first. */
  collections(): Collections {
    this.#runDue();
    return this.#state.collections();
  }

  /**
   * Runs everything due, then a unit of work: all of it or, if it throws, nothing. The changes are in the change log
   * when this returns, and stored once `log.kept` says so. If what is due cannot be stored, only units that write nothing succeed.
   */
  transact<T>(given: TransactionOptions, run: (env: Env) => T): Committed<T> {
    const { options, time } = this.#begin(given);
    return this.#units.run(options, time, run);
  }

  /**
   * Like `transact`, but a unit of work that prepares or removes much serves other calls in between. They see all of it or
   * nothing.
   */
  transactInTurns<T>(
    given: TransactionOptions,
    run: (env: Env) => T,
    preparations = 0,
  ): Committed<T> | Promise<Committed<T>> {
    try {
      return this.transact({ ...given, canWait: preparations < MOST_PREPARATIONS }, run);
    } catch (thrown) {
      if (thrown instanceof PreparationNeeded) {
        const { steps, kept } = thrown;
        const runAgain = () => this.transactInTurns({ ...given, kept }, run, preparations + 1);
        return runInTurns(steps).then(nextTurn).then(runAgain);
      }
      if (!(thrown instanceof LongRemoval)) throw thrown;
    }
    const unit: LongUnit<T> = {
      begin: () => this.#begin(given),
      *run(env) {
        yield;
        return run(env);
      },
      commit: (make) => make(),
    };
    return runInTurns(this.#units.runInSteps(unit));
  }

  /** The changes that a tester would make who removes the row. Other calls are served meanwhile. */
  foreseeRemoval(collection: Collection, id: string): Promise<readonly RowChange[]> {
    this.#runDue();
    return runInTurns(this.#units.foreseeRemoval(this.clock.moment(), collection, id));
  }

  /** Everything due by the new time has happened when this returns. */
  setClock(settings: ClockSettings): void {
    this.#moveClock((clock) => clock.set(settings));
  }

  /** `distance` in milliseconds. Everything due has happened, in order, when this returns. */
  advance(distance: number): void {
    this.#moveClock((clock) => clock.advance(distance));
  }

  /** Loads clock, state and rules, or nothing. Replaces a loaded scenario of the same name. */
  loadScenario(scenario: Scenario): LoadedName {
    return this.#loader.load(scenario);
  }

  /** Like `loadScenario`, with other calls in between. They see all of it or nothing. */
  loadScenarioInTurns(scenario: Scenario): Promise<LoadedName> {
    return this.#loader.loadInTurns(scenario);
  }

  /** Call this first. A reset returns to the state with these scenarios loaded; see `SavePoints.startHere`. */
  startWithScenarios(scenarios: readonly Scenario[], start: 'derived' | 'own'): void {
    this.#initial.set(scenarios);
    this.savePoints.startHere(start);
  }

  /** Creates an environment that continues from here on its own, with other credentials. */
  fork(
    wanted: Pick<EnvironmentSettings, 'name' | 'generation' | 'credentials' | 'temporary'>,
    point = this.savePoints.save(),
  ): Environment {
    const { seed, strict } = this.made;
    const settings = { ...wanted, seed, strict, clock: point.clock };
    const fork = new Environment(settings, point.state.fixture, this.#services);
    fork.savePoints.continueFrom(point, this.credentials);
    return fork;
  }

  /** Replays the log; from now on every commit is in the log before the answer is sent. */
  attachLog(durable: EnvironmentLog, first: FirstWrite): Promise<void> {
    this.lastUse -= durable.idle;
    return this.#stored.attach(durable, first);
  }

  /** Stores for which test the environment is kept. Throws NotKept if the store does not take it. */
  keepFor(test: KeptTest | undefined): void {
    this.keptFor = test;
    this.log.append(() => ({ changes: [] }));
  }

  /**
   * Call this before an answer. Undefined if everything that the answer may show is stored; otherwise see
   * `DurableLog.kept`.
   */
  kept(): Promise<void> | undefined {
    return this.log.isKept ? this.#stored.kept() : undefined;
  }

  /** Starts the timer for deadlines and sends what is waiting. */
  activate(): this {
    this.moments.begin();
    this.#ticker.start();
    this.#services.outgoing.resume(this);
    return this;
  }

  /** Resolves once all due calls that stay inside this process are made. */
  settled(): Promise<void> {
    return this.#services.outgoing.settled(this);
  }

  /** Nothing is written afterwards. `rest`: what others must know of the environment while nobody has it open. */
  async close(rest?: Rest): Promise<void> {
    this.#ticker.stop();
    await this.#stored.close();
    return this.log.close(rest);
  }

  /** Deletes snapshot and log. */
  drop(): Promise<void> {
    this.abandon();
    return this.log.remove(this.generation + 1);
  }

  /** Does nothing more, and leaves what is stored to others. */
  abandon(): void {
    this.activity.end('dropped');
    this.#ticker.stop();
    this.#stored.stop();
  }

  #follower(): EnvironmentFollower {
    return new EnvironmentFollower(this, {
      state: this.#state,
      fixture: () => this.savePoints.fixture,
      readScenarios: (stored) => this.#stored.readScenarios(stored),
      rearm: () => this.#ticker.rearm(),
    });
  }

  #begin(options: TransactionOptions) {
    const time = this.clock.moment();
    const refusal = time.ms < this.#state.deadlines.nextAt ? undefined : this.#ticker.runDueIfKept(time.ms);
    return { options: refusal ? { ...options, refusal } : options, time };
  }

  /** Most calls find nothing due. */
  #runDue(): void {
    const now = this.clock.now();
    if (now >= this.#state.deadlines.nextAt) this.#ticker.runDueIfKept(now);
  }

  #commit(changes: readonly RowChange[]): void {
    this.log.append(() => ({ changes: logged(changes) }));
    this.moments.noteCommit(changes);
    publishChanges(changes, this.activity);
    this.coverage.countEvents(changes);
    this.#services.outgoing.dispatch(this, dueCallsIn(changes));
  }

  /** `isOld`: the journal has given the entry's id to another call. */
  #onCall(entry: Entry, isOld: boolean): void {
    entry.end = this.moments.noteCall();
    if (entry.expected === undefined) this.coverage.count(entry);
    this.#services.metrics.service.add(entry);
    this.#services.onCalled?.(entry, this.name);
    if (!isOld && this.activity.isFollowed) this.activity.publish({ kind: 'request', entry });
  }

  #moveClock(change: (clock: Clock) => void): void {
    this.#ticker.move(change);
    this.activity.publish({ kind: 'clock', clock: this.clock.view() });
  }

  #createSavePoints(fixture: FixtureRows): SavePoints {
    const { clock, scenarios, rateWindow } = this;
    const [state, units, ticker, log] = [this.#state, this.#units, this.#ticker, this.log];
    return new SavePoints(
      { state, clock, scenarios, rateWindow, units, ticker, log, moments: this.moments },
      {
        origin: this.made,
        credentials: this.credentials,
        endpoints: this.#services.webhooks,
        initial: this.#initial,
        onRestored: (parts) => this.#onRestored(parts),
        resumeCalls: () => this.#services.outgoing.resume(this),
      },
      fixture,
    );
  }

  #onRestored(parts: ReadonlySet<ResetPart>): void {
    if (parts.has('requests')) this.journal.reset();
    this.activity.publish({ kind: 'reset', parts: [...parts] });
  }
}
