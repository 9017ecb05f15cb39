import type { Collections } from '../store/change-log.ts';
import type { DurableLogOfEnvironment } from '../store/store.ts';
import { Clock, ClockMoves, type ClockSettings } from './clock.ts';
import { endpointAdmission, endpointExpulsion, type ConfiguredEndpoints } from './configured-endpoints.ts';
import { admission, expulsion, type Credentials } from './credentials.ts';
import { commitBetween, putRows } from './difference.ts';
import { DurableLog, replay, type FirstWrite, type Marks, type Origin } from './durable-log.ts';
import type { RowChange, Tables, Env } from './env.ts';
import { FixtureRows } from './fixture/frozen-rows.ts';
import type { Collection } from './rows/schema.ts';
import { ROWS_OF, tablesAt, type Part, type SavedState } from './save-point.ts';
import { ScenarioEdits, SET_UP } from './scenario-edits.ts';
import type { Shared } from './shared.ts';
import { State } from './state.ts';
import { Ticker } from './ticker.ts';
import { logged, type Committed, type TransactionOptions } from './unit-of-work.ts';

export interface DurableStateSettings extends Origin {
  name: string;
  credentials: Credentials;
  /** Told of what a unit of work has changed, once it is in the log. */
  onChanges: (changes: readonly RowChange[]) => void;
}

/** Rows, ids and clock at one moment; it does not change. */
export interface SavedStateAndClock {
  readonly state: SavedState;
  readonly clock: ClockSettings;
}

/** The rows of one environment, the clock that they follow, and the log that remembers both. */
export class DurableState {
  readonly clock: Clock;
  readonly #settings: DurableStateSettings;
  readonly #own: ConfiguredEndpoints;
  #fixture: FixtureRows;
  readonly #state: State;
  readonly #ticker: Ticker;
  readonly #moves: ClockMoves;
  /** What scenarios change. */
  readonly edits: ScenarioEdits;
  readonly #log: DurableLog;

  constructor(settings: DurableStateSettings, fixture: FixtureRows, shared: Shared) {
    this.clock = new Clock(settings.clock);
    this.#settings = settings;
    this.#own = shared.webhooks;
    this.#fixture = fixture;
    const collections = () => this.#state.collections();
    this.#log = new DurableLog({ marks: () => this.marks(), collections, warn: shared.warn });
    const onCommit = (changes: readonly RowChange[]) => {
      this.#log.append(() => ({ changes: logged(changes) }));
      settings.onChanges(changes);
    };
    const onDeadline = (at: number) => this.#ticker.expect(at);
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
    this.#admitOwn();
  }

  get isKept(): boolean {
    return this.#log.isKept;
  }

  /** The rows to look at, as time has left them. */
  get tables(): Tables {
    this.#state.settleIfKept(this.clock.now());
    return this.#state.tables;
  }

  collections(): Collections {
    this.#state.settleIfKept(this.clock.now());
    return this.#state.collections();
  }

  /** A number in [0, 1) outside of any unit of work. */
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

  /** Where `restore` leads back to. The cost does not depend on how many rows there are. */
  save(): SavedStateAndClock {
    return { state: this.#state.save(), clock: this.clock.settings() };
  }

  /** As it was then, or a part of it; as often as one likes. In the log before it stands. */
  restore(point: SavedStateAndClock, parts: ReadonlySet<Part>): void {
    if (!parts.has('state'))
      this.#putBackRows(
        point,
        [...parts].flatMap((part) => ROWS_OF[part] ?? []),
      );
    this.#replace(() => {
      if (parts.has('state')) this.#state.restore(point.state);
      if (parts.has('clock')) this.clock.set(point.clock);
    });
  }

  /** Goes on from a point of another environment, whose own credentials are not good here. */
  adopt({ state: env, clock }: SavedStateAndClock, other: Credentials): void {
    this.#state.restore(env);
    this.clock.set(clock);
    this.#state.apply(expulsion(other, this.#state.tables));
    this.#admitOwn();
  }

  /** Begins again with this fixture. */
  start(fixture: FixtureRows): void {
    const before = this.#fixture;
    this.#fixture = fixture;
    try {
      this.#replace(() => {
        this.#state.start(fixture);
        this.clock.set(this.#settings.clock);
        this.#admitOwn();
      });
    } catch (thrown) {
      this.#fixture = before;
      throw thrown;
    }
  }

  /** Puts other rows in the place of all. Ids that were given stay given. */
  putState(rows: Collections): void {
    this.#replace(() => {
      const { generator } = this.#state;
      this.#state.start(new FixtureRows(rows));
      this.#state.generator = generator;
      this.#admitOwn();
    });
  }

  /** What the log knows happens again. Whether there was anything. */
  recall(durable: DurableLogOfEnvironment): boolean {
    if (!durable.snapshot && durable.commits.length === 0) return false;
    this.#state.start(this.#fixture);
    replay(durable, { state: this.#state, clock: this.clock, fixture: this.#fixture });
    this.#state.apply(endpointExpulsion(this.#own, this.#state.tables));
    this.#admitOwn();
    return true;
  }

  /** From now on every commit is in the log before its answer is sent. */
  attach(durable: DurableLogOfEnvironment, writes: FirstWrite): Promise<void> {
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

  /** From now on what is due happens in time, though nobody calls. */
  live(): void {
    this.#ticker.start();
  }

  /** Folds the log into the file; nothing is written afterwards. */
  close(): Promise<void> {
    this.#ticker.stop();
    return this.#log.close();
  }

  /** File and log are gone. */
  drop(): Promise<void> {
    this.#ticker.stop();
    return this.#log.remove();
  }

  /** Another state in the place of this one: it is in the log, or it has not happened. */
  #replace(put: () => void): void {
    const before = this.save();
    put();
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

  /** The rows of these collections become what they were then; all others stay. */
  #putBackRows(point: SavedStateAndClock, collections: readonly Collection[]): void {
    if (collections.length === 0) return;
    const then = tablesAt(point.state);
    this.transact(SET_UP, (env) => collections.forEach((each) => putRows(env, then, each)));
  }

  #admitOwn(): void {
    const { tables } = this.#state;
    this.#state.apply([
      ...admission(this.#settings.credentials, tables),
      ...endpointAdmission(this.#own, tables),
    ]);
  }

  /** What time has changed by now. */
  #settle(): void {
    this.#state.settle(this.clock.now());
  }
}
