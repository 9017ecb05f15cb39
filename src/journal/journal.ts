import type { StoredJournal } from '../store/storage.ts';
import { viewEntry } from './entry-view.ts';
import { Entry, type RecordedRequest } from './entry.ts';
import { JournalWriter, type JournalSettings, type StoredCallCounts } from './journal-writer.ts';
import { readJournal, type RestoredJournal } from './stored-calls.ts';

interface JournalListener {
  /** Called with each complete call; `isOld`: the call arrived before the last reset. */
  onCall(entry: Entry, isOld: boolean): void;
  counts: StoredCallCounts;
}

/** Every call and its answer, in order. The oldest entries are evicted when a limit is reached. */
export class Journal {
  readonly #environment: string;
  readonly #settings: JournalSettings;
  readonly #listener: JournalListener;
  #onClosed: (entry: Entry) => void;
  /** By number. */
  readonly #entries = new Map<number, Entry>();
  /** The number of the oldest entry; without entries, of the next one. */
  #oldest = 1;
  #opened = 0;
  /** The number of the latest evicted entry. */
  #evicted = 0;
  #bytes = 0;
  #writer: JournalWriter | undefined;
  /** Whether it has the calls of another environment, which are only looked at. */
  #isShown = false;

  constructor(environment: string, settings: JournalSettings, listener: JournalListener) {
    this.#environment = environment;
    this.#settings = settings;
    this.#listener = listener;
    this.#onClosed = this.#newListener();
  }

  get redacts(): boolean {
    return this.#settings.redact;
  }

  get count(): number {
    return this.#entries.size;
  }

  /** `now`: milliseconds on the environment's clock. */
  open(request: RecordedRequest, now: number): Entry {
    if (this.#isShown) return new Entry(0, now, request, () => {});
    this.#opened += 1;
    const entry = new Entry(this.#opened, now, request, this.#onClosed);
    if (this.#settings.entries === 0) {
      this.#evicted = this.#opened;
      this.#oldest = this.#opened + 1;
    } else {
      this.#entries.set(entry.number, entry);
      if (this.#entries.size > this.#settings.entries) this.#evict();
    }
    return entry;
  }

  /** Oldest first, between the two entries, both excluded. */
  list(since?: string, before?: string): Entry[] {
    const first = since === undefined ? 1 : numberOf(since) + 1;
    const end = before === undefined ? Infinity : numberOf(before);
    return this.#between(first, end);
  }

  find(id: string): Entry | undefined {
    return this.#entries.get(numberOf(id));
  }

  /** The entry as the control API returns it. */
  view(entry: Entry, why?: object): Record<string, unknown> {
    return viewEntry(entry, { environment: this.#environment, redact: this.#settings.redact, why });
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
    this.#entries.clear();
    this.#evicted = 0;
    this.#oldest = this.#opened + 1;
    this.#bytes = 0;
    this.#writer?.replaceAll();
  }

  /** Like `clear`, and ids start at 1 again. */
  reset(): void {
    this.#opened = 0;
    this.#isShown = false;
    this.#onClosed = this.#newListener();
    this.clear();
  }

  /** Lists these calls, and no call that comes later. */
  show(calls: RestoredJournal): void {
    this.reset();
    this.#continueFrom(calls);
    this.#isShown = true;
  }

  /** Continues with the calls that are stored, and stores those that come. */
  async keepIn(store: StoredJournal): Promise<void> {
    const found = readJournal(await store.read());
    if (found) this.#continueFrom(found);
    this.#writer = new JournalWriter(store, {
      settings: this.#settings,
      counts: this.#listener.counts,
      from: (number) => this.#between(number, Infinity),
      position: () => ({ next: this.#opened + 1, oldest: this.#oldest, evicted: this.#evicted }),
    });
  }

  /** Stores what is not stored, as far as that is possible. */
  async finish(): Promise<void> {
    await this.#writer?.finish();
  }

  /** Stores nothing more by itself. */
  stop(): void {
    this.#writer?.stop();
  }

  #continueFrom({ next, evicted, entries }: RestoredJournal): void {
    this.#opened = next - 1;
    this.#evicted = evicted;
    this.#oldest = entries[0]?.number ?? next;
    for (const entry of entries) {
      this.#entries.set(entry.number, entry);
      this.#bytes += entry.size;
    }
    while (this.#entries.size > this.#settings.entries) this.#evict();
    this.#trimBytes();
  }

  /** Listens to the calls until the next reset. */
  #newListener(): (entry: Entry) => void {
    const listener = (entry: Entry) => {
      const isOld = listener !== this.#onClosed;
      if (!isOld && this.#entries.get(entry.number) === entry) {
        this.#bytes += entry.size;
        this.#trimBytes();
        this.#writer?.note(entry);
      }
      this.#listener.onCall(entry, isOld);
    };
    return listener;
  }

  #between(first: number, end: number): Entry[] {
    const found: Entry[] = [];
    const last = Math.min(end - 1, this.#opened);
    for (let number = Math.max(first, this.#oldest); number <= last; number += 1) {
      const entry = this.#entries.get(number);
      if (entry) found.push(entry);
    }
    return found;
  }

  #trimBytes(): void {
    while (this.#bytes > this.#settings.bytes && this.#oldest < this.#opened) this.#evict();
  }

  /** Numbers may be missing behind those that an earlier process has stored. */
  #evict(): void {
    const entry = this.#entries.get(this.#oldest)!;
    this.#bytes -= entry.size;
    this.#entries.delete(this.#oldest);
    this.#evicted = this.#oldest;
    this.#writer?.noteEvicted(entry);
    do this.#oldest += 1;
    while (this.#oldest <= this.#opened && !this.#entries.has(this.#oldest));
  }
}

const numberOf = (id: string) => (/^req_\d+$/.test(id) ? Number(id.slice(4)) : NaN);
