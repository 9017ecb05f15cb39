import type { JournalEntry } from '@understudy/client/types';
import type { CoverageReport } from '@understudy/core/coverage/report';
import { viewEntry } from '@understudy/core/journal/entry-view';
import type { Entry } from '@understudy/core/journal/entry';
import { OutcomeTally, type CallOutcomes } from '@understudy/client/failed-call';

/** A violation of the contract by requests to one operation. */
export interface RequestViolation {
  operation: string;
  field: string;
  description: string;
  times: number;
  /** A call with this violation. */
  example: CallName;
}

/** Identifies a call. The time belongs to it, because ids start again after a reset. */
export type CallName = Pick<JournalEntry, 'environment' | 'id' | 'time'>;

/** What a run of the service did: coverage, violations and calls of all environments. */
export interface RunReport extends CallOutcomes {
  version: string;
  /** ISO 8601, on the clock of the machine. */
  created: string;
  coverage: CoverageReport;
  violations: readonly RequestViolation[];
  /** Different violations that are not in the list. */
  moreViolations: number;
  /** The latest calls, oldest first. */
  calls: readonly JournalEntry[];
  /** Calls that the service got, or that the journals of the running service still have. */
  total: number;
}

/** The most calls that a report shows. */
export const MAX_CALLS = 1000;
/** The most bytes that these calls take, in memory and on a page, approximately. */
export const MAX_BYTES = 4_000_000;

interface RecordedCall {
  entry: Entry;
  environment: string;
  why: object | undefined;
}

/** Why a call failed; undefined for others. */
type WhyOf = (entry: Entry, environment: string) => object | undefined;

/** Keeps the latest calls of all environments until the process stops, dropped environments included. */
export class CallRecorder {
  readonly tally = new ViolationTally();
  readonly outcomes = new OutcomeTally();
  readonly #redact: boolean;
  readonly #whyOf: WhyOf;
  readonly #calls: RecordedCall[] = [];
  #bytes = 0;
  #total = 0;

  constructor(redact: boolean, whyOf: WhyOf) {
    this.#redact = redact;
    this.#whyOf = whyOf;
  }

  get total(): number {
    return this.#total;
  }

  record(entry: Entry, environment: string): void {
    this.#total += 1;
    const call = { entry, environment, why: this.#whyOf(entry, environment) };
    this.#calls.push(call);
    this.#bytes += entry.size;
    while (this.#calls.length > MAX_CALLS || (this.#bytes > MAX_BYTES && this.#calls.length > 1))
      this.#bytes -= this.#calls.shift()!.entry.size;
    const view = () => this.#view(call);
    if (entry.violations.length > 0) this.tally.add(view());
    const { status, expected, duration } = entry;
    this.outcomes.add({ status, expected, duration_ms: duration }, view);
  }

  /** Oldest first, with secrets as in the journal. */
  calls(): JournalEntry[] {
    return this.#calls.map((call) => this.#view(call));
  }

  #view({ entry, environment, why }: RecordedCall): JournalEntry {
    return viewEntry(entry, { environment, redact: this.#redact, why }) as unknown as JournalEntry;
  }
}

/** Different violations that are counted separately; fields may have any name. */
const MAX_VIOLATIONS = 500;

/** Counts violations of requests by operation, field and description. */
export class ViolationTally {
  readonly #counts = new Map<string, RequestViolation>();
  readonly #left = new Set<string>();

  add({ id, environment, time, operation, validation }: JournalEntry): void {
    if (operation === undefined) return;
    for (const violation of validation.violations) {
      const [field, description] = [String(violation['field']), String(violation['description'])];
      const key = JSON.stringify([operation, field, description]);
      const known = this.#counts.get(key);
      if (known) known.times += 1;
      else if (this.#counts.size >= MAX_VIOLATIONS) this.#left.add(key.slice(0, MAX_VIOLATIONS));
      else
        this.#counts.set(key, {
          operation,
          field,
          description,
          times: 1,
          example: { environment, id, time },
        });
    }
  }

  list(): RequestViolation[] {
    const places = ({ operation, field }: RequestViolation) => `${operation} ${field}`;
    return [...this.#counts.values()].toSorted((a, b) => (places(a) < places(b) ? -1 : 1));
  }

  /** The number of different violations that are not in the list. */
  get more(): number {
    return this.#left.size;
  }
}
