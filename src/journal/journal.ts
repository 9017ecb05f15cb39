import type { CallTable, StoredJournal } from '../store/storage.ts';
import { CallSharing } from './call-sharing.ts';
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
  /** In order of number. */
  #entries: Entry[] = [];
  #sharing: { table: CallTable; calls: CallSharing } | undefined;
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
    return this.#entries.length;
  }

  /** `now`: milliseconds on the environment's clock. */
  open(request: RecordedRequest, now: number): Entry {
    if (this.#isShown) return new Entry(0, now, request, () => {});
    this.#opened = this.#sharing?.table.number(this.#opened) ?? this.#opened + 1;
    const entry = new Entry(this.#opened, now, request, this.#onClosed);
    if (this.#settings.entries === 0) {
      this.#evicted = this.#opened;
    } else {
      this.#entries.push(entry);
      if (this.#entries.length > this.#settings.entries) this.#evict();
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
    const number = numberOf(id);
    const entry = this.#entries[this.#placeOf(number)];
    return entry?.number === number ? entry : undefined;
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
    this.#entries = [];
    this.#evicted = 0;
    this.#bytes = 0;
    this.#writer?.replaceAll();
    if (!this.#sharing) return;
    const { table } = this.#sharing;
    this.#opened = table.number(this.#opened); // later than all calls before, of all processes
    void table.clear(this.#opened).catch(() => {}); // the store warns
  }

  /** Like `clear`, and ids start at 1 again. */
  reset(): void {
    if (!this.#sharing) this.#opened = 0;
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
      position: () => ({
        next: this.#opened + 1,
        oldest: this.#entries[0]?.number ?? this.#opened + 1,
        evicted: this.#evicted,
      }),
    });
  }

  /** Lists the calls of all processes. `onOther` is called with each call that another one has answered. */
  shareIn(table: CallTable, onOther: (entry: Entry) => void): Promise<void> {
    const add = (entries: readonly Entry[], cleared: number) => {
      this.#dropUpTo(cleared);
      for (const entry of entries) {
        this.#insert(entry);
        onOther(entry);
      }
    };
    const calls = new CallSharing(table, add, () => this.#evicted);
    this.#sharing = { table, calls };
    return calls.read();
  }

  /** Resolves once the calls are known that other processes had answered before. */
  readOn(): Promise<void> | undefined {
    return this.#sharing?.calls.readOn();
  }

  /** Reads the calls of other processes that are there now. */
  readNews(): Promise<void> | undefined {
    return this.#sharing?.calls.read();
  }

  /** Another process has emptied it. */
  forget(): void {
    this.#entries = [];
    this.#bytes = 0;
    this.#onClosed = this.#newListener();
  }

  /** Stores what is not stored, as far as that is possible. */
  async finish(): Promise<void> {
    await this.#writer?.finish();
    await this.#sharing?.calls.flush();
  }

  /** Stores nothing more by itself. */
  stop(): void {
    this.#writer?.stop();
  }

  #continueFrom({ next, evicted, entries }: RestoredJournal): void {
    this.#opened = next - 1;
    this.#evicted = evicted;
    for (const entry of entries) {
      this.#entries.push(entry);
      this.#bytes += entry.size;
    }
    while (this.#entries.length > this.#settings.entries) this.#evict();
    this.#trimBytes();
  }

  /** Listens to the calls until the next reset. */
  #newListener(): (entry: Entry) => void {
    const listener = (entry: Entry) => {
      const isOld = listener !== this.#onClosed;
      if (!isOld && this.find(entry.id) === entry) {
        this.#bytes += entry.size;
        this.#trimBytes();
        this.#writer?.note(entry);
        this.#sharing?.calls.note(entry);
      }
      this.#listener.onCall(entry, isOld);
    };
    return listener;
  }

  #between(first: number, end: number): Entry[] {
    return this.#entries.slice(this.#placeOf(first), this.#placeOf(end));
  }

  /** The index of the first entry with this number or a larger one. */
  #placeOf(number: number): number {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#entries[middle]!.number < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Another process has removed these calls. */
  #dropUpTo(number: number): void {
    for (const { size } of this.#entries.splice(0, this.#placeOf(number + 1))) this.#bytes -= size;
  }

  #insert(entry: Entry): void {
    const place = this.#placeOf(entry.number);
    if (this.#entries[place]?.number === entry.number || this.#settings.entries === 0) return;
    this.#entries.splice(place, 0, entry);
    this.#opened = Math.max(this.#opened, entry.number);
    this.#bytes += entry.size;
    if (this.#entries.length > this.#settings.entries) this.#evict();
    this.#trimBytes();
  }

  #trimBytes(): void {
    while (this.#bytes > this.#settings.bytes && this.#entries.length > 1) this.#evict();
  }

  #evict(): void {
    const entry = this.#entries.shift()!;
    this.#bytes -= entry.size;
    this.#evicted = entry.number;
    this.#writer?.noteEvicted(entry);
  }
}

const numberOf = (id: string) => (/^req_\d+$/.test(id) ? Number(id.slice(4)) : NaN);
