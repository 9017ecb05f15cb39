import { Durations } from './durations.ts';

/** Others count as `other`, so that a caller cannot make up labels. */
const PROTOCOLS = ['http/1.1', 'http/2', 'grpc', 'grpc-web', 'connect', 'mcp', 'other'] as const;
const OTHER = PROTOCOLS.length - 1;
/** By the first digit of the status. `none`: no answer was sent. */
const STATUSES = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

const PLACES: ReadonlyMap<string, number> = new Map(PROTOCOLS.map((protocol, place) => [protocol, place]));

/** For calls outside the contract. */
const NO_OPERATION = 'none';

export interface CountedCall {
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
export class CallCounts {
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
