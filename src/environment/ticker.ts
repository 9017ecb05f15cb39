import { uptime, type Clock } from './clock.ts';
import type { Environment } from './environment.ts';

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
 * Lets what is due in an environment happen in time, though nobody calls: one timer at most, none where the clock stands. It
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

const LONGEST_PAUSE = 30_000;
const MOST_REMEMBERED = 1000;

/** Lets environments go that nobody has used for too long. Real time counts, whatever their clocks say. */
export class IdleWatch {
  /** Milliseconds; Infinity: they stay. */
  readonly #limit: number;
  readonly #timer: NodeJS.Timeout | undefined;
  /** Names of those that went, oldest first. */
  readonly #gone = new Set<string>();

  /** `drop` is called for each of those in `all` that goes. */
  constructor(limit: number, all: () => Iterable<Environment>, drop: (environment: Environment) => void) {
    this.#limit = limit;
    if (limit === Infinity) return;
    const look = () => {
      for (const environment of [...all()].filter((each) => this.#isIdle(each))) {
        this.#remember(environment.name);
        drop(environment);
      }
    };
    this.#timer = setInterval(look, Math.min(LONGEST_PAUSE, limit)).unref();
  }

  /** Whether an environment of that name has gone, and none has had its name since. */
  hasDropped(name: string): boolean {
    return this.#gone.has(name);
  }

  forget(name: string): void {
    this.#gone.delete(name);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** One that is kept on disk stays, and one that somebody listens to. */
  #isIdle({ isKept, activity, lastUse }: Environment): boolean {
    return !isKept && activity.listeners === 0 && uptime() - lastUse >= this.#limit;
  }

  #remember(name: string): void {
    const [oldest] = this.#gone;
    if (this.#gone.size >= MOST_REMEMBERED && oldest !== undefined) this.#gone.delete(oldest);
    this.#gone.add(name);
  }
}
