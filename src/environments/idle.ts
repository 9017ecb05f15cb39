import { uptime } from '../world/clock.ts';
import type { Environment } from './environment.ts';

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
  #isIdle({ isKept, news, lastUse }: Environment): boolean {
    return !isKept && news.listeners === 0 && uptime() - lastUse >= this.#limit;
  }

  #remember(name: string): void {
    const [oldest] = this.#gone;
    if (this.#gone.size >= MOST_REMEMBERED && oldest !== undefined) this.#gone.delete(oldest);
    this.#gone.add(name);
  }
}
