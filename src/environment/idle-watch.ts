import { uptime } from '../state/clock.ts';
import type { Environment } from './environment.ts';

const MAX_INTERVAL = 30_000;
const MAX_NAMES = 1000;

interface IdleHost {
  /** Those that may be dropped. */
  all(): Iterable<Environment>;
  drop(environment: Environment): void;
  /** Drops stored environments that nobody has open and nobody has used for so many milliseconds. */
  dropResting(limit: number): Promise<readonly string[]>;
}

/** Drops environments that nobody has used for too long, in real time. */
export class IdleWatch {
  /** Milliseconds; Infinity: never. */
  readonly #limit: number;
  readonly #timer: NodeJS.Timeout | undefined;
  /** Names of dropped environments, oldest first. */
  readonly #gone = new Set<string>();

  constructor(limit: number, host: IdleHost) {
    this.#limit = limit;
    if (limit === Infinity) return;
    const dropIdle = () => {
      for (const environment of [...host.all()].filter((each) => this.#isIdle(each))) {
        this.#remember(environment.name);
        host.drop(environment);
      }
      void host.dropResting(limit).then((names) => names.forEach((name) => this.#remember(name)));
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

  /** Environments that are stored for good or have subscribers are never idle. */
  #isIdle({ log, made, activity, lastUse }: Environment): boolean {
    return (
      (!log.isKept || made.temporary === true) &&
      activity.subscribers === 0 &&
      uptime() - lastUse >= this.#limit
    );
  }

  #remember(name: string): void {
    const [oldest] = this.#gone;
    if (this.#gone.size >= MAX_NAMES && oldest !== undefined) this.#gone.delete(oldest);
    this.#gone.add(name);
  }
}
