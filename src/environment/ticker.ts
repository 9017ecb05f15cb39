import type { Row } from '../store/change-log.ts';
import { Moment, type Clock, type ClockSettings } from '../state/clock.ts';
import { isStillDueIn, type Deadline } from '../state/deadlines.ts';
import type { Env } from '../state/env.ts';
import type { DurableLog } from './durable-log.ts';
import { NotKept } from '../store/not-kept.ts';
import { anyTable, TABLES } from '../state/schema.ts';
import type { State } from '../state/state.ts';
import type { TransactionOptions } from '../state/units-of-work.ts';
import type { UnitsOfWork } from '../state/units-of-work.ts';

/** The longest delay of a timer: 24.8 days in milliseconds. */
const MAX_DELAY = 2 ** 31 - 1;
/** Milliseconds until a failed tick is retried; a full disk may have space by then. */
const RETRY_DELAY = 5000;
const DEADLINE_OPTIONS: TransactionOptions = { baseUrl: 'http://localhost' };

interface TickerParts {
  readonly clock: Clock;
  readonly state: State;
  readonly units: UnitsOfWork;
  readonly log: DurableLog;
  /** Reports a failure that no caller can be told. */
  readonly report: (thrown: unknown) => void;
}

/**
 * Moves the clock of one environment, and runs what is due: when somebody calls, and with at most one timer, none for a
 * frozen clock. The timer does not keep the process alive.
 */
export class Ticker {
  readonly #parts: TickerParts;
  #timer: NodeJS.Timeout | undefined;
  #wakesAt = Infinity;
  #isRunning = false;

  constructor(parts: TickerParts) {
    this.#parts = parts;
  }

  /** Runs everything due, in order of time. Each deadline is a unit of work at its own time. */
  runDue(now = this.#parts.clock.now()): void {
    const { state } = this.#parts;
    for (let due = state.deadlines.takeDue(now); due; due = state.deadlines.takeDue(now)) this.#expire(due);
  }

  /** Like `runDue` for reads: changes that cannot be stored happen later. Returns the error. */
  runDueIfKept(now: number): NotKept | undefined {
    try {
      this.runDue(now);
      return undefined;
    } catch (thrown) {
      if (thrown instanceof NotKept) return thrown;
      throw thrown;
    }
  }

  /** The new time is in the log before anything due happens. The clock stays as it is if that cannot be stored. */
  move(change: (clock: Clock) => void): void {
    const { clock } = this.#parts;
    const before = clock.settings();
    change(clock);
    try {
      this.#storeTime();
    } catch (thrown) {
      this.undoMove(before);
      throw thrown;
    }
    this.#runMoved();
  }

  /** Like `move` for a caller that has set the clock itself and calls `undoMove` if this throws. */
  commitMove(): void {
    this.#storeTime();
    this.#runMoved();
  }

  undoMove(before: ClockSettings): void {
    this.#parts.clock.set(before);
    this.rearm();
  }

  start(): void {
    this.#isRunning = true;
    this.rearm();
  }

  stop(): void {
    this.#isRunning = false;
    this.#disarm();
  }

  /** A new deadline. */
  addDeadline(at: number): void {
    if (at < this.#wakesAt) this.#arm(at);
  }

  /** The clock was set, or the deadlines have changed. */
  rearm(): void {
    this.#rearm(0);
  }

  #storeTime(): void {
    this.#parts.log.append(() => ({ changes: [] }));
  }

  #runMoved(): void {
    this.runDue();
    this.rearm();
  }

  #rearm(delay: number): void {
    this.#disarm();
    const at = this.#parts.state.deadlines.nextAt;
    if (at < Infinity) this.#arm(at, delay);
  }

  #arm(at: number, delay = 0): void {
    if (!this.#isRunning || this.#parts.clock.isFrozen) return;
    this.#disarm();
    this.#wakesAt = at;
    const distance = Math.ceil(at - this.#parts.clock.now());
    this.#timer = setTimeout(() => this.#wake(), Math.min(Math.max(distance, delay, 1), MAX_DELAY)).unref();
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#wakesAt = Infinity;
  }

  /** What other processes have done by now is not due any more. */
  #wake(): void {
    const { shared } = this.#parts.log;
    if (!shared) return this.#runNow();
    void shared.readOn().then(
      () => this.#isRunning && this.#runNow(),
      () => this.#rearm(RETRY_DELAY),
    );
  }

  #runNow(): void {
    try {
      this.runDue();
      this.#rearm(0);
    } catch (thrown) {
      this.#parts.report(thrown);
      this.#rearm(RETRY_DELAY);
    }
  }

  #expire(due: Deadline): void {
    const { state, units } = this.#parts;
    const isLive = isStillDueIn(state.tables);
    if (!isLive(due)) return;
    try {
      units.run(DEADLINE_OPTIONS, new Moment(due.at), (env) => replaceExpired(env, due));
    } catch (thrown) {
      if (thrown instanceof NotKept) state.deadlines.add(due, isLive);
      throw thrown;
    }
  }
}

function replaceExpired(env: Env, { collection, id }: Deadline): void {
  const table = anyTable(env, collection);
  const { expired } = TABLES[collection].deadline as { expired: (row: object) => Row };
  table.replace(expired(table.get(id)));
}
