import { uptime } from '../state/clock.ts';

/** What a process has done since its start, in plain numbers. `exposition.ts` writes them for Prometheus. */
export class Metrics {
  /** Calls to the service. */
  readonly service = new CallCounts();
  /** Calls to the control API. */
  readonly control = new CallCounts();
  readonly commits = new CommitCounts();
  /** Calls of journals that are stored. `lost`: dropped before they were stored. */
  readonly journal = { stored: 0, lost: 0 };
  /** Attempts of webhooks and other outgoing calls, by kind and result. */
  readonly attempts = new Map<string, Map<string, number>>();

  countAttempt(kind: string, result: string): void {
    const results = this.attempts.get(kind) ?? new Map<string, number>();
    this.attempts.set(kind, results.set(result, (results.get(result) ?? 0) + 1));
  }
}

/** Commits of environments that are stored. */
export class CommitCounts {
  readonly durations = new Durations();
  failed = 0;
  /** Commits that are not stored yet. */
  waiting = 0;

  /** `startedAt`: in milliseconds of `uptime`. `storing`: undefined if the commit is stored already. */
  add(startedAt: number, storing: Promise<void> | undefined): void {
    if (!storing) return this.durations.add(uptime() - startedAt);
    this.waiting += 1;
    storing
      .then(
        () => this.durations.add(uptime() - startedAt),
        () => (this.failed += 1),
      )
      .finally(() => (this.waiting -= 1));
  }
}

/** Others count as `other`, so that a caller cannot make up labels. */
const PROTOCOLS = ['http/1.1', 'http/2', 'grpc', 'grpc-web', 'connect', 'mcp', 'other'] as const;
const OTHER = PROTOCOLS.length - 1;
/** By the first digit of the status. `none`: no answer was sent. */
const STATUSES = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

const PLACES: ReadonlyMap<string, number> = new Map(PROTOCOLS.map((protocol, place) => [protocol, place]));

/** For calls outside the contract. */
const NO_OPERATION = 'none';

interface CountedCall {
  operation: string | undefined;
  protocol: string;
  /** Undefined: no answer was sent. */
  status: number | undefined;
  /** Milliseconds. */
  duration: number;
}

class OperationCounts {
  /** By protocol and status. */
  readonly answers = new Float64Array(PROTOCOLS.length * STATUSES.length);
  readonly durations = new Durations();
}

interface AnswerCount {
  operation: string;
  protocol: string;
  status: string;
  count: number;
}

/** Counts calls by operation, protocol and class of the status. The number of counters is bounded. */
class CallCounts {
  readonly #operations = new Map<string, OperationCounts>();

  add({ operation = NO_OPERATION, protocol, status = 0, duration }: CountedCall): void {
    let counts = this.#operations.get(operation);
    if (!counts) this.#operations.set(operation, (counts = new OperationCounts()));
    const place = (PLACES.get(protocol) ?? OTHER) * STATUSES.length + Math.floor(status / 100);
    counts.answers[place]! += 1;
    counts.durations.add(duration);
  }

  *answers(): Generator<AnswerCount> {
    for (const [operation, { answers }] of this.#operations)
      for (const [place, count] of answers.entries()) {
        if (count === 0) continue;
        const protocol = PROTOCOLS[Math.floor(place / STATUSES.length)]!;
        yield { operation, protocol, status: STATUSES[place % STATUSES.length]!, count };
      }
  }

  *durations(): Generator<{ operation: string; durations: Durations }> {
    for (const [operation, { durations }] of this.#operations) yield { operation, durations };
  }
}

/** Upper bounds of the buckets, in seconds. */
export const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

const IN_MILLISECONDS = BOUNDS.map((seconds) => seconds * 1000);

/** A histogram in plain numbers, so that counting costs next to nothing. */
export class Durations {
  readonly #buckets = new Float64Array(BOUNDS.length);
  #count = 0;
  #milliseconds = 0;

  add(milliseconds: number): void {
    this.#count += 1;
    this.#milliseconds += milliseconds;
    for (let i = 0; i < IN_MILLISECONDS.length; i += 1)
      if (milliseconds <= IN_MILLISECONDS[i]!) {
        this.#buckets[i]! += 1;
        return;
      }
  }

  get count(): number {
    return this.#count;
  }

  /** In seconds. */
  get sum(): number {
    return this.#milliseconds / 1000;
  }

  /** How many were at most as long as each of `BOUNDS`. */
  cumulative(): number[] {
    let sum = 0;
    return Array.from(this.#buckets, (count) => (sum += count));
  }
}
