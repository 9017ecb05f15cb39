import type { JournalEntry } from '../client/types.ts';
import type { Entry } from '../environment/journal/entry.ts';
import { viewEntry } from '../environment/journal/entry-view.ts';
import { ViolationTally } from './violation-tally.ts';

/** The most calls that a report shows. */
export const MAX_CALLS = 1000;
/** The most bytes that these calls take, in memory and on a page, approximately. */
export const MAX_BYTES = 4_000_000;

interface RecordedCall {
  entry: Entry;
  environment: string;
}

/** Keeps the latest calls of all environments until the process stops, dropped environments included. */
export class CallRecorder {
  readonly tally = new ViolationTally();
  readonly #redact: boolean;
  readonly #calls: RecordedCall[] = [];
  #bytes = 0;
  #total = 0;

  constructor(redact: boolean) {
    this.#redact = redact;
  }

  get total(): number {
    return this.#total;
  }

  record(entry: Entry, environment: string): void {
    this.#total += 1;
    this.#calls.push({ entry, environment });
    this.#bytes += entry.size;
    while (this.#calls.length > MAX_CALLS || (this.#bytes > MAX_BYTES && this.#calls.length > 1))
      this.#bytes -= this.#calls.shift()!.entry.size;
    if (entry.violations.length > 0) this.tally.add(this.#view({ entry, environment }));
  }

  /** Oldest first, with secrets as in the journal. */
  calls(): JournalEntry[] {
    return this.#calls.map((call) => this.#view(call));
  }

  #view({ entry, environment }: RecordedCall): JournalEntry {
    return viewEntry(entry, { environment, redact: this.#redact }) as unknown as JournalEntry;
  }
}
