import { viewEntry } from './entry-view.ts';
import { Entry, type RecordedRequest } from './entry.ts';

export interface JournalSettings {
  /** The most entries; 0 keeps none. */
  entries: number;
  /** Approximate bytes of all entries; the latest entry is always kept. */
  bytes: number;
  /** Whether secrets are replaced where entries are shown. */
  redact: boolean;
}

/** Every call and its answer, in order. The oldest entries are evicted when a limit is reached. */
export class Journal {
  readonly #environment: string;
  readonly #settings: JournalSettings;
  readonly #onEntry: (entry: Entry, isOld: boolean) => void;
  #onClosed: (entry: Entry) => void;
  /** A ring buffer; an entry's number determines its slot. */
  #ring: (Entry | undefined)[] = [];
  /** The numbers of the first slot and of the oldest entry. */
  #base = 1;
  #oldest = 1;
  #opened = 0;
  /** The number of the latest evicted entry. */
  #evicted = 0;
  #bytes = 0;

  /** `tell` is called with each complete call; `isOld`: the call arrived before the last reset. */
  constructor(
    environment: string,
    settings: JournalSettings,
    onEntry: (entry: Entry, isOld: boolean) => void,
  ) {
    this.#environment = environment;
    this.#settings = settings;
    this.#onEntry = onEntry;
    this.#onClosed = this.#newListener();
  }

  get redacts(): boolean {
    return this.#settings.redact;
  }

  get count(): number {
    return this.#opened - this.#oldest + 1;
  }

  /** `now`: milliseconds on the environment's clock. */
  open(request: RecordedRequest, now: number): Entry {
    this.#opened += 1;
    const slot = this.#slot(this.#opened);
    const entry = new Entry(this.#opened, now, request, this.#onClosed);
    if (this.#settings.entries === 0) {
      this.#evicted = this.#opened;
      this.#oldest = this.#opened + 1;
    } else {
      if (this.#opened - this.#oldest >= this.#settings.entries) this.#evict();
      this.#ring[slot] = entry;
    }
    return entry;
  }

  /** Oldest first, between the two entries, both excluded. */
  list(since?: string, before?: string): Entry[] {
    const first = Math.max(this.#oldest, since === undefined ? 1 : numberOf(since) + 1);
    const end = before === undefined ? this.#opened + 1 : numberOf(before);
    const count = Math.max(0, end - first);
    return Array.from({ length: count }, (_, index) => this.#ring[this.#slot(first + index)]!);
  }

  find(id: string): Entry | undefined {
    const number = numberOf(id);
    return number >= this.#oldest && number <= this.#opened ? this.#ring[this.#slot(number)] : undefined;
  }

  /** The entry as the control API returns it. */
  view(entry: Entry): Record<string, unknown> {
    return viewEntry(entry, { environment: this.#environment, redact: this.#settings.redact });
  }

  /** Whether a call with this id ever arrived, even if its entry is gone. */
  hasSeen(id: string): boolean {
    const number = numberOf(id);
    return number >= 1 && number <= this.#opened;
  }

  /** Whether no entry after this id was evicted. */
  hasAllSince(id: string): boolean {
    return numberOf(id) >= this.#evicted;
  }

  clear(): void {
    this.#ring = [];
    this.#evicted = 0;
    this.#base = this.#opened + 1;
    this.#oldest = this.#base;
    this.#bytes = 0;
  }

  /** Like `clear`, and ids start at 1 again. */
  reset(): void {
    this.#opened = 0;
    this.#onClosed = this.#newListener();
    this.clear();
  }

  /** Listens to the calls until the next reset. */
  #newListener(): (entry: Entry) => void {
    const listener = (entry: Entry) => {
      const isOld = listener !== this.#onClosed;
      if (!isOld) this.#countBytes(entry);
      this.#onEntry(entry, isOld);
    };
    return listener;
  }

  #slot(number: number): number {
    return (number - this.#base) % this.#settings.entries;
  }

  /** Ignores entries that were evicted or opened before a reset. */
  #countBytes(entry: Entry): void {
    if (entry !== this.#ring[this.#slot(entry.number)]) return;
    this.#bytes += entry.size;
    while (this.#bytes > this.#settings.bytes && this.#oldest < this.#opened) this.#evict();
  }

  #evict(): void {
    const slot = this.#slot(this.#oldest);
    this.#bytes -= this.#ring[slot]!.size;
    this.#ring[slot] = undefined;
    this.#evicted = this.#oldest;
    this.#oldest += 1;
  }
}

const numberOf = (id: string) => (/^req_\d+$/.test(id) ? Number(id.slice(4)) : NaN);
