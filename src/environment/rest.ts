import type { Rest, RestingEnvironment } from '../store/storage.ts';
import { uptime } from '../state/clock.ts';
import type { Credentials } from '../state/credentials.ts';
import { dueCallsOf } from '../webhooks/due-calls.ts';
import type { Environment } from './environment.ts';
import { countRows } from '../state/schema.ts';
import { DEFAULT_ENVIRONMENT } from '../state/environment-names.ts';
import type { KeptTest } from './marks.ts';

/** What a list shows of an environment that rests. */
export interface RestSummary {
  /** The credentials follow from these. */
  seed: number;
  generation?: number | undefined;
  /** Milliseconds since 1970 by the machine's clock. */
  created: number;
  rows: number;
  keptFor?: KeptTest | undefined;
}

/** A stored environment that no process has open. */
export interface RestingView extends RestSummary {
  name: string;
  credentials: Credentials;
  /** Milliseconds since somebody used it. */
  idle: number;
}

/**
 * Whether the environment would be the same after a rest, and nothing happens in it for so many milliseconds. A rest may
 * cost the calls for which a test's environment is kept.
 */
const mayRest = (environment: Environment): boolean =>
  environment.log.isStored &&
  environment.keptFor === undefined &&
  environment.callsUnderWay === 0 &&
  dueIn(environment) > SHORTEST_REST;

export const restOf = (environment: Environment): Rest => ({
  dueIn: dueIn(environment),
  idle: uptime() - environment.lastUse,
  isTemporary: environment.made.temporary === true && environment.keptFor === undefined,
  summary: summaryOf(environment),
});

const summaryOf = ({ made, created, tables, keptFor }: Environment): RestSummary => ({
  seed: made.seed,
  generation: made.generation,
  created,
  rows: countRows(tables),
  ...(keptFor && { keptFor }),
});

/** Milliseconds until a row expires or a call is sent; Infinity: time changes nothing. */
function dueIn({ tables, clock, nextDeadline }: Environment): number {
  if (dueCallsOf(tables).length > 0) return 0;
  return clock.isFrozen ? Infinity : Math.max(0, nextDeadline - clock.now());
}

/** `credentialsOf`: those of an environment of this name and origin. */
export function restingView(
  { name, idle, summary }: RestingEnvironment,
  credentialsOf: (name: string, origin: Pick<RestSummary, 'seed' | 'generation'>) => Credentials,
): RestingView {
  const kept = summary as RestSummary;
  return { ...kept, name, idle, credentials: credentialsOf(name, kept) };
}

/** Milliseconds between two looks. */
const LOOK_INTERVAL = 5000;
/** An environment that was used within this time stays awake, however many there are. */
const SHORTEST_IDLE = 1000;
/** A shorter rest is not worth it. */
const SHORTEST_REST = 10_000;
/** Milliseconds without use after which an environment leaves the memory. */
const LONGEST_IDLE = 600_000;
/** The most environments in memory, besides `default`. */
const MOST_AWAKE = 1000;

interface RestHost {
  awake(): readonly Environment[];
  rest(environment: Environment): Promise<void>;
}

/** Puts stored environments to rest that nobody has used for a time, and the least recently used of too many. */
export class RestWatch {
  readonly #host: RestHost;
  readonly #timer: NodeJS.Timeout;
  #soon: NodeJS.Timeout | undefined;
  #isResting = false;
  #isStopped = false;

  constructor(host: RestHost) {
    this.#host = host;
    this.#timer = setInterval(() => void this.#look(), LOOK_INTERVAL).unref();
  }

  /** Another environment is awake. */
  noteAwake(): void {
    if (this.#soon || this.#host.awake().length <= MOST_AWAKE + 1) return;
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
        if (!this.#isStopped && mayRest(environment)) await this.#host.rest(environment);
    } finally {
      this.#isResting = false;
    }
  }

  /** Those that nobody has used for too long, and as many others as are too many, the least recently used first. */
  #idle(): Environment[] {
    const others = this.#host.awake().filter(({ name }) => name !== DEFAULT_ENVIRONMENT);
    const now = uptime();
    const rested = others
      .filter((each) => now - each.lastUse >= SHORTEST_IDLE && mayRest(each))
      .toSorted((a, b) => a.lastUse - b.lastUse);
    const surplus = others.length - MOST_AWAKE;
    return rested.filter((each, index) => index < surplus || now - each.lastUse >= LONGEST_IDLE);
  }
}

const MAX_IDLE_INTERVAL = 30_000;
const MAX_NAMES = 1000;
const UNUSED = 'because it was not used for the time of --environment-ttl';

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
  /** Why environments were dropped, by name; the oldest first. */
  readonly #gone = new Map<string, string>();

  constructor(limit: number, host: IdleHost) {
    this.#limit = limit;
    if (limit === Infinity) return;
    const dropIdle = () => {
      for (const environment of [...host.all()].filter((each) => this.#isIdle(each))) {
        this.remember(environment.name);
        host.drop(environment);
      }
      void host.dropResting(limit).then((names) => names.forEach((name) => this.remember(name)));
    };
    this.#timer = setInterval(dropIdle, Math.min(MAX_IDLE_INTERVAL, limit)).unref();
  }

  /** Why Understudy dropped the environment of this name; undefined if it did not. */
  reasonOf(name: string): string | undefined {
    return this.#gone.get(name);
  }

  remember(name: string, reason = UNUSED): void {
    const [oldest] = this.#gone.keys();
    if (this.#gone.size >= MAX_NAMES && oldest !== undefined) this.#gone.delete(oldest);
    this.#gone.set(name, reason);
  }

  forget(name: string): void {
    this.#gone.delete(name);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Environments that are stored for good, kept for a test or have subscribers are never idle. */
  #isIdle({ log, made, keptFor, activity, lastUse }: Environment): boolean {
    return (
      (!log.isKept || made.temporary === true) &&
      keptFor === undefined &&
      activity.subscribers === 0 &&
      uptime() - lastUse >= this.#limit
    );
  }
}
