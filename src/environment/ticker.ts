import { uptime, type Clock } from './clock.ts';
import type { Environment } from './environment.ts';

/** The longest delay of a timer: 24.8 days in milliseconds. */
const MAX_DELAY = 2 ** 31 - 1;
/** Milliseconds until a failed tick is retried; a full disk may have space by then. */
const RETRY_DELAY = 5000;

export interface TickerHooks {
  /** The time of the next deadline. */
  next: () => number | undefined;
  /** Runs everything due. */
  tick: () => void;
  /** Reports a failure that no caller can be told. */
  failed: (thrown: unknown) => void;
}

/**
 * Runs what is due in one environment with at most one timer, none for a frozen clock. The timer does not keep the
 * process alive.
 */
export class Ticker {
  readonly #clock: Clock;
  readonly #hooks: TickerHooks;
  #timer: NodeJS.Timeout | undefined;
  #wakesAt = Infinity;
  #isRunning = false;

  constructor(clock: Clock, hooks: TickerHooks) {
    this.#clock = clock;
    this.#hooks = hooks;
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

  #rearm(delay: number): void {
    this.#disarm();
    const at = this.#isRunning ? this.#hooks.next() : undefined;
    if (at !== undefined) this.#arm(at, delay);
  }

  #arm(at: number, delay = 0): void {
    if (!this.#isRunning || this.#clock.isFrozen) return;
    this.#disarm();
    this.#wakesAt = at;
    const distance = Math.ceil(at - this.#clock.now());
    this.#timer = setTimeout(() => this.#wake(), Math.min(Math.max(distance, delay, 1), MAX_DELAY)).unref();
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#wakesAt = Infinity;
  }

  #wake(): void {
    try {
      this.#hooks.tick();
      this.#rearm(0);
    } catch (thrown) {
      this.#hooks.failed(thrown);
      this.#rearm(RETRY_DELAY);
    }
  }
}

const MAX_INTERVAL = 30_000;
const MAX_NAMES = 1000;

/** Drops environments that nobody has used for too long, in real time. */
export class IdleWatch {
  /** Milliseconds; Infinity: never. */
  readonly #limit: number;
  readonly #timer: NodeJS.Timeout | undefined;
  /** Names of dropped environments, oldest first. */
  readonly #gone = new Set<string>();

  /** `drop` is called for each idle environment of `all`. */
  constructor(limit: number, all: () => Iterable<Environment>, drop: (environment: Environment) => void) {
    this.#limit = limit;
    if (limit === Infinity) return;
    const dropIdle = () => {
      for (const environment of [...all()].filter((each) => this.#isIdle(each))) {
        this.#remember(environment.name);
        drop(environment);
      }
    };
    this.#timer = setInterval(dropIdle, Math.min(MAX_INTERVAL, limit)).unref();
  }

  /** Whether an environment of this name was dropped and none has the name now. */
  hasDropped(name: string): boolean {
    return this.#gone.has(name);
  }

  forget(name: string): void {
    this.#gone.delete(name);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Environments that are stored on disk or have subscribers are never idle. */
  #isIdle({ isKept, activity, lastUse }: Environment): boolean {
    return !isKept && activity.subscribers === 0 && uptime() - lastUse >= this.#limit;
  }

  #remember(name: string): void {
    const [oldest] = this.#gone;
    if (this.#gone.size >= MAX_NAMES && oldest !== undefined) this.#gone.delete(oldest);
    this.#gone.add(name);
  }
}
