import type { Clock, ClockSettings } from '../world/clock.ts';

interface ClockParts {
  clock: Clock;
  /** Writes the new time down. Throws where it can not be kept. */
  keep: () => void;
  /** Lets happen what is due by now. */
  settle: () => void;
  /** Something else is due next than was. */
  rearm: () => void;
}

/** Moves the clock of one environment: the new time is in the log before anything is due by it. */
export class ClockMoves {
  readonly #parts: ClockParts;

  constructor(parts: ClockParts) {
    this.#parts = parts;
  }

  /** Where the new time can not be kept the clock stays as it is. */
  move(change: (clock: Clock) => void): void {
    const { clock, keep } = this.#parts;
    const before = clock.settings();
    change(clock);
    try {
      keep();
    } catch (thrown) {
      this.turnBack(before);
      throw thrown;
    }
    this.#happen();
  }

  /** As `move`, by somebody who has set the clock, and turns it back when this throws. */
  moved(): void {
    this.#parts.keep();
    this.#happen();
  }

  settle(): void {
    this.#parts.settle();
  }

  /** Puts the clock where it was: nothing has happened. */
  turnBack(before: ClockSettings): void {
    this.#parts.clock.set(before);
    this.#parts.rearm();
  }

  #happen(): void {
    this.#parts.settle();
    this.#parts.rearm();
  }
}
