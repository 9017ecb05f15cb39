import type { Collections } from '../store/change-log.ts';
import type { EnvironmentLog } from '../store/file-store.ts';
import { Clock, ClockMoves, type ClockSettings } from './clock.ts';
import { endpointsToAdd, endpointsToRemove, type ConfiguredEndpoints } from './configured-endpoints.ts';
import { credentialsToAdd, credentialsToRemove, type Credentials } from './credentials.ts';
import { commitBetween, replaceRows } from './difference.ts';
import { DurableLog, replay, type FirstWrite, type Marks, type Origin } from './durable-log.ts';
import type { RowChange, Tables, Env } from './env.ts';
import { FixtureRows } from './fixture/fixture-rows.ts';
import type { Collection } from './rows/schema.ts';
import { COLLECTIONS_OF_PART, tablesAt, type ResetPart, type SavedState } from './save-point.ts';
import { ScenarioEdits, SET_UP } from './scenario-edits.ts';
import type { EnvironmentServices } from './shared.ts';
import { State } from './state.ts';
import { Ticker } from './ticker.ts';
import { logged, type Committed, type TransactionOptions } from './unit-of-work.ts';

export interface DurableStateSettings extends Origin {
  name: string;
  credentials: Credentials;
  /** Called with the changes of a unit of work once they are in the change log. */
  onChanges: (changes: readonly RowChange[]) => void;
}

/** Immutable. */
export interface SavedStateAndClock {
  readonly state: SavedState;
  readonly clock: ClockSettings;
}

/** The rows and the clock of one environment, and the change log that stores both. */
export class DurableState {
  readonly clock: Clock;
  readonly #settings: DurableStateSettings;
  readonly #configured: ConfiguredEndpoints;
  #fixture: FixtureRows;
  readonly #state: State;
  readonly #ticker: Ticker;
  readonly #moves: ClockMoves;
  readonly edits: ScenarioEdits;
  readonly #log: DurableLog;

  constructor(settings: DurableStateSettings, fixture: FixtureRows, shared: EnvironmentServices) {
    this.clock = new Clock(settings.clock);
    this.#settings = settings;
    this.#configured = shared.webhooks;
    this.#fixture = fixture;
    const collections = () => this.#state.collections();
    this.#log = new DurableLog({ marks: () => this.marks(), collections, warn: shared.warn });
    const onCommit = (changes: readonly RowChange[]) => {
      this.#log.append(() => ({ changes: logged(changes) }));
      settings.onChanges(changes);
    };
    const onDeadline = (at: number) => this.#ticker.addDeadline(at);
    this.#ticker = new Ticker(this.clock, {
      next: () => this.#state.nextDeadline,
      tick: () => this.#settle(),
      failed: (thrown) => shared.report(`what was due in environment ${settings.name}`, thrown),
    });
    this.#state = new State({ ...settings, clock: this.clock, shared, onCommit, onDeadline }, fixture);
    this.#moves = new ClockMoves({
      clock: this.clock,
      keep: () => this.#log.append(() => ({ changes: [] })),
      settle: () => this.#settle(),
      rearm: () => this.#ticker.rearm(),
    });
    const { clock } = this;
    this.edits = new ScenarioEdits({ state: this.#state, clock, rows: shared.rows, moves: this.#moves });
    this.#addConfigured();
  }

  get isKept(): boolean {
    return this.#log.isKept;
  }

  /** The rows after everything due by now has happened. */
  get tables(): Tables {
    this.#state.settleIfKept(this.clock.now());
    return this.#state.tables;
  }

  collections(): Collections {
    this.#state.settleIfKept(this.clock.now());
    return this.#state.collections();
  }

  /** A random number in [0, 1), outside any unit of work. */
  chance(): number {
    return this.#state.chance();
  }

  transact<T>(options: TransactionOptions, run: (env: Env) => T): Committed<T> {
    return this.#state.transact(options, run);
  }

  /** Everything due by the new time has happened when this returns. */
  setClock(settings: ClockSettings): void {
    this.#moves.move((clock) => clock.set(settings));
  }

  /** `distance` in milliseconds. Everything due has happened, in order, when this returns. */
  advance(distance: number): void {
    this.#moves.move((clock) => clock.advance(distance));
  }

  /** The cost does not depend on the number of rows. */
  save(): SavedStateAndClock {
    return { state: this.#state.save(), clock: this.clock.settings() };
  }

  /** Restores some parts or all. The change is in the log before it counts; a point can be restored many times. */
  restore(point: SavedStateAndClock, parts: ReadonlySet<ResetPart>): void {
    if (!parts.has('state'))
      this.#restoreRows(
        point,
        [...parts].flatMap((part) => COLLECTIONS_OF_PART[part] ?? []),
      );
    this.#replace(() => {
      if (parts.has('state')) this.#state.restore(point.state);
      if (parts.has('clock')) this.clock.set(point.clock);
    });
  }

  /** Continues from another environment's state; that environment's credentials do not work here. */
  continueFrom({ state: env, clock }: SavedStateAndClock, other: Credentials): void {
    this.#state.restore(env);
    this.clock.set(clock);
    this.#state.apply(credentialsToRemove(other, this.#state.tables));
    this.#addConfigured();
  }

  startWith(fixture: FixtureRows): void {
    const before = this.#fixture;
    this.#fixture = fixture;
    try {
      this.#replace(() => {
        this.#state.start(fixture);
        this.clock.set(this.#settings.clock);
        this.#addConfigured();
      });
    } catch (thrown) {
      this.#fixture = before;
      throw thrown;
    }
  }

  /** Replaces all rows. Ids that were given out are never given out again. */
  replaceRows(rows: Collections): void {
    this.#replace(() => {
      const { generator } = this.#state;
      this.#state.start(new FixtureRows(rows));
      this.#state.generator = generator;
      this.#addConfigured();
    });
  }

  /** Replays the log. Returns false if the log is empty. */
  replayLog(durable: EnvironmentLog): boolean {
    if (!durable.snapshot && durable.commits.length === 0) return false;
    this.#state.start(this.#fixture);
    replay(durable, { state: this.#state, clock: this.clock, fixture: this.#fixture });
    this.#state.apply(endpointsToRemove(this.#configured, this.#state.tables));
    this.#addConfigured();
    return true;
  }

  /** From now on every commit is in the change log before the answer is sent. */
  attachLog(durable: EnvironmentLog, writes: FirstWrite): Promise<void> {
    return this.#log.attach(durable, writes);
  }

  marks(): Marks {
    const { fixture, seed, clock, strict } = this.#settings;
    return {
      generator: this.#state.generator,
      clock: this.clock.settings(),
      origin: { fixture, seed, clock, ...(strict !== undefined && { strict }) },
    };
  }

  /** Starts the timer for deadlines. */
  startTimer(): void {
    this.#ticker.start();
  }

  /** Folds the log into the snapshot; nothing is written afterwards. */
  close(): Promise<void> {
    this.#ticker.stop();
    return this.#log.close();
  }

  /** Deletes snapshot and log. */
  deleteFiles(): Promise<void> {
    this.#ticker.stop();
    return this.#log.remove();
  }

  /** Replaces the state. If the log cannot be written, the old state comes back. */
  #replace(replace: () => void): void {
    const before = this.save();
    replace();
    try {
      this.#log.append(() => commitBetween(before.state, this.#state.save(), this.#fixture));
    } catch (thrown) {
      this.#state.restore(before.state);
      this.clock.set(before.clock);
      throw thrown;
    } finally {
      this.#ticker.rearm();
    }
  }

  /** Restores these collections only. */
  #restoreRows(point: SavedStateAndClock, collections: readonly Collection[]): void {
    if (collections.length === 0) return;
    const then = tablesAt(point.state);
    this.transact(SET_UP, (env) => collections.forEach((each) => replaceRows(env, then, each)));
  }

  #addConfigured(): void {
    const { tables } = this.#state;
    this.#state.apply([
      ...credentialsToAdd(this.#settings.credentials, tables),
      ...endpointsToAdd(this.#configured, tables),
    ]);
  }

  #settle(): void {
    this.#state.settle(this.clock.now());
  }
}
