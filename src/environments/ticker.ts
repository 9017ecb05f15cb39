import type { Clock } from '../world/clock.ts';

/** What the machine's timers can wait, in milliseconds: 24.8 days. */
const LONGEST = 2 ** 31 - 1;
/** Milliseconds until what has failed is tried again: a disk may have room by then. */
const PAUSE = 5000;

export interface Ticking {
  /** When the next thing is due. */
  next: () => number | undefined;
  /** Lets happen what is due. */
  tick: () => void;
  /** Nobody waits for an answer who could be told what went wrong. */
  failed: (thrown: unknown) => void;
}

/**
 * Lets what is due in a world happen in time, though nobody calls: one timer at most, none where the clock stands. It
 * keeps no process alive.
 */
export class Ticker {
  readonly #clock: Clock;
  readonly #ticking: Ticking;
  #timer: NodeJS.Timeout | undefined;
  #wakesAt = Infinity;
  #isRunning = false;

  constructor(clock: Clock, ticking: Ticking) {
    this.#clock = clock;
    this.#ticking = ticking;
  }

  start(): void {
    this.#isRunning = true;
    this.rearm();
  }

  stop(): void {
    this.#isRunning = false;
    this.#disarm();
  }

  /** Something is due then, beside what was known. */
  expect(at: number): void {
    if (at < this.#wakesAt) this.#arm(at);
  }

  /** The clock was set, or something else is due than was. */
  rearm(): void {
    this.#rearm(0);
  }

  #rearm(pause: number): void {
    this.#disarm();
    const at = this.#isRunning ? this.#ticking.next() : undefined;
    if (at !== undefined) this.#arm(at, pause);
  }

  #arm(at: number, pause = 0): void {
    if (!this.#isRunning || this.#clock.isFrozen) return;
    this.#disarm();
    this.#wakesAt = at;
    const distance = Math.ceil(at - this.#clock.now());
    this.#timer = setTimeout(() => this.#wake(), Math.min(Math.max(distance, pause, 1), LONGEST)).unref();
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#wakesAt = Infinity;
  }

  #wake(): void {
    try {
      this.#ticking.tick();
      this.#rearm(0);
    } catch (thrown) {
      this.#ticking.failed(thrown);
      this.#rearm(PAUSE);
    }
  }
}
