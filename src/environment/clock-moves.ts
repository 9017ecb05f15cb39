import type { Clock, ClockSettings } from './clock.ts';
import type { DurableLog } from './durable-log.ts';
import type { Ticker } from './ticker.ts';

interface ClockMoveParts {
  readonly clock: Clock;
  readonly log: DurableLog;
  readonly ticker: Ticker;
}

/** Moves the clock of one environment. The new time is in the log before anything due happens. */
export class ClockMoves {
  readonly #parts: ClockMoveParts;

  constructor(parts: ClockMoveParts) {
    this.#parts = parts;
  }

  /** Leaves the clock as it is if the new time cannot be stored. */
  move(change: (clock: Clock) => void): void {
    const { clock } = this.#parts;
    const before = clock.settings();
    change(clock);
    try {
      this.#store();
    } catch (thrown) {
      this.undo(before);
      throw thrown;
    }
    this.#runDue();
  }

  /** Like `move` for a caller that has set the clock itself and calls `undo` if this throws. */
  commit(): void {
    this.#store();
    this.#runDue();
  }

  undo(before: ClockSettings): void {
    this.#parts.clock.set(before);
    this.#parts.ticker.rearm();
  }

  #store(): void {
    this.#parts.log.append(() => ({ changes: [] }));
  }

  #runDue(): void {
    this.#parts.ticker.runDue();
    this.#parts.ticker.rearm();
  }
}
