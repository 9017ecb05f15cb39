import { viewEntry } from './entry-view.ts';
import { Entry, type RecordedRequest } from './entry.ts';

export interface JournalSettings {
  /** The most entries that are kept. 0 keeps none. */
  entries: number;
  /** The most that they may take, roughly, in bytes; the latest is kept however large it is. */
  bytes: number;
  /** Secrets are replaced wherever entries are shown. */
  redact: boolean;
}

/** Every call and its answer, in order, within bounds: the oldest go first. */
export class Journal {
  readonly #environment: string;
  readonly #settings: JournalSettings;
  readonly #tell: (entry: Entry, isOld: boolean) => void;
  #onClosed: (entry: Entry) => void;
  /** A ring: the place of an entry follows from its number. */
  #ring: (Entry | undefined)[] = [];
  /** The number at the ring's beginning, and that of the oldest that is kept. */
  #base = 1;
  #oldest = 1;
  #opened = 0;
  /** The latest that had to go to keep the bounds. */
  #evicted = 0;
  #bytes = 0;

  /** `tell` hears of every call that is complete; `isOld`: it had come before a reset. */
  constructor(environment: string, settings: JournalSettings, tell: (entry: Entry, isOld: boolean) => void) {
    this.#environment = environment;
    this.#settings = settings;
    this.#tell = tell;
    this.#onClosed = this.#listener();
  }

  /** Whether secrets are replaced where calls are shown. */
  get redacts(): boolean {
    return this.#settings.redact;
  }

  /** `now`: milliseconds on the environment's clock. */
  open(request: RecordedRequest, now: number): Entry {
    this.#opened += 1;
    const entry = new Entry(this.#opened, now, request, this.#onClosed);
    if (this.#settings.entries === 0) {
      this.#evicted = this.#opened;
      this.#oldest = this.#opened + 1;
    } else {
      if (this.#opened - this.#oldest >= this.#settings.entries) this.#evict();
      this.#ring[this.#place(this.#opened)] = entry;
    }
    return entry;
  }

  /** Oldest first; after the entry of the one id and before that of the other, where they are given. */
  list(since?: string, before?: string): Entry[] {
    const first = Math.max(this.#oldest, since === undefined ? 1 : numberOf(since) + 1);
    const end = before === undefined ? this.#opened + 1 : numberOf(before);
    const count = Math.max(0, end - first);
    return Array.from({ length: count }, (_, index) => this.#ring[this.#place(first + index)]!);
  }

  find(id: string): Entry | undefined {
    const number = numberOf(id);
    return number >= this.#oldest && number <= this.#opened ? this.#ring[this.#place(number)] : undefined;
  }

  /** As the control API shows it. */
  view(entry: Entry): Record<string, unknown> {
    return viewEntry(entry, { environment: this.#environment, redact: this.#settings.redact });
  }

  /** Whether there ever was a call of that id, kept or not. */
  knows(id: string): boolean {
    const number = numberOf(id);
    return number >= 1 && number <= this.#opened;
  }

  /** Whether no entry after that one had to go to keep the bounds. */
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

  /** As at the start: the ids count from one again. */
  reset(): void {
    this.#opened = 0;
    this.#onClosed = this.#listener();
    this.clear();
  }

  /** What hears of the calls that come from now on, to the next reset. */
  #listener(): (entry: Entry) => void {
    const listener = (entry: Entry) => {
      const isOld = listener !== this.#onClosed;
      if (!isOld) this.#weigh(entry);
      this.#tell(entry, isOld);
    };
    return listener;
  }

  #place(number: number): number {
    return (number - this.#base) % this.#settings.entries;
  }

  /** What has gone before it was complete is not counted, nor is what was opened before a reset. */
  #weigh(entry: Entry): void {
    if (entry !== this.#ring[this.#place(entry.number)]) return;
    this.#bytes += entry.size;
    while (this.#bytes > this.#settings.bytes && this.#oldest < this.#opened) this.#evict();
  }

  #evict(): void {
    const place = this.#place(this.#oldest);
    this.#bytes -= this.#ring[place]!.size;
    this.#ring[place] = undefined;
    this.#evicted = this.#oldest;
    this.#oldest += 1;
  }
}

const numberOf = (id: string) => (/^req_\d+$/.test(id) ? Number(id.slice(4)) : NaN);
