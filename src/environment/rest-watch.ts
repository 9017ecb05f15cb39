import { uptime } from '../state/clock.ts';
import { DEFAULT_ENVIRONMENT } from '../state/environment-names.ts';
import type { Environment } from './environment.ts';
import { mayRest } from './rest.ts';

/** The longest time between two looks, in milliseconds. */
const MAX_INTERVAL = 5000;
/** An environment that was used within this time stays awake, however many there are. */
const SHORTEST_IDLE = 1000;
/** A shorter rest is not worth it. */
const SHORTEST_REST = 10_000;

export interface RestSettings {
  /** Milliseconds without use before an environment is put to rest; Infinity: never. */
  after: number;
  /** The most environments that stay awake, besides `default`. */
  most: number;
}

export interface RestHost {
  awake(): readonly Environment[];
  rest(environment: Environment): Promise<void>;
}

/** Puts stored environments to rest that nobody has used for a time, and the least recently used of too many. */
export class RestWatch {
  readonly #settings: RestSettings;
  readonly #host: RestHost;
  readonly #timer: NodeJS.Timeout;
  #soon: NodeJS.Timeout | undefined;
  #isResting = false;
  #isStopped = false;

  constructor(settings: RestSettings, host: RestHost) {
    this.#settings = settings;
    this.#host = host;
    this.#timer = setInterval(() => void this.#look(), Math.min(MAX_INTERVAL, settings.after)).unref();
  }

  /** Another environment is awake. */
  noteAwake(): void {
    if (this.#soon || this.#host.awake().length <= this.#settings.most + 1) return;
    this.#soon = setTimeout(() => void this.#look(), SHORTEST_IDLE).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
  }

  async #look(): Promise<void> {
    if (this.#isResting) return;
    this.#isResting = true;
    this.#soon = undefined;
    try {
      for (const environment of this.#idle())
        if (!this.#isStopped && this.#mayRest(environment)) await this.#host.rest(environment);
    } finally {
      this.#isResting = false;
    }
  }

  #mayRest(environment: Environment): boolean {
    return mayRest(environment, Math.min(SHORTEST_REST, this.#settings.after));
  }

  /** Those that nobody has used for too long, and as many others as are too many, the least recently used first. */
  #idle(): Environment[] {
    const { after, most } = this.#settings;
    const others = this.#host.awake().filter(({ name }) => name !== DEFAULT_ENVIRONMENT);
    const now = uptime();
    const rested = others
      .filter((each) => now - each.lastUse >= SHORTEST_IDLE && this.#mayRest(each))
      .toSorted((a, b) => a.lastUse - b.lastUse);
    const surplus = others.length - most;
    return rested.filter((each, index) => index < surplus || now - each.lastUse >= after);
  }
}
