import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CallBatch, StoredJournal } from '../store/storage.ts';
import type { Entry } from './entry.ts';
import { batchOf, type JournalPosition, storedTextOf } from './stored-calls.ts';

export interface JournalSettings {
  /** The most entries; 0 keeps none. */
  entries: number;
  /** Approximate bytes of all entries; the latest entry is always kept. */
  bytes: number;
  /** Whether secrets are replaced where entries are shown. */
  redact: boolean;
}

/** How many calls were stored with `--journal-store`, and how many were not. */
export interface StoredCallCounts {
  stored: number;
  /** Calls that the journal dropped before they were stored. */
  lost: number;
}

/** Milliseconds after which a call is stored, together with those that came meanwhile. */
const DELAY = 200;
/** Milliseconds after a write that failed. */
const RETRY_DELAY = 1000;
/** Limits of one batch, so that writing it holds up no call for long. */
const MOST_CALLS = 100;
const MOST_CHARACTERS = 1_000_000;
/**
 * Numbers that calls may get between two writes. After a kill, the next process continues behind them, so that no id is
 * given to a second call.
 */
const RESERVED = 10_000;

interface WrittenJournal {
  settings: JournalSettings;
  counts: StoredCallCounts;
  /** The entries from that number on, oldest first. */
  from(number: number): Entry[];
  position(): JournalPosition;
}

/**
 * Stores the calls of one journal behind their answers. The calls that wait are in the journal itself, so that its limits
 * hold for them too: what it drops before it is stored counts as lost.
 */
export class JournalWriter {
  readonly #store: StoredJournal;
  readonly #journal: WrittenJournal;
  /** Complete calls since the last batch was made, and their bytes. */
  #waiting = { calls: 0, bytes: 0 };
  /** Entries with smaller numbers are stored. */
  #from = 1;
  /** The next batch replaces all earlier ones. */
  #replaces = false;
  /** What the latest batch said about the next call. */
  #next: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isFailing = false;
  #isStopped = false;

  constructor(store: StoredJournal, journal: WrittenJournal) {
    this.#store = store;
    this.#journal = journal;
  }

  /** The call is complete. */
  note({ size }: Entry): void {
    this.#waiting.calls += 1;
    this.#waiting.bytes += size;
    const { entries, bytes } = this.#journal.settings;
    const isUrgent = this.#waiting.calls * 2 >= entries || this.#waiting.bytes * 2 >= bytes;
    if (!this.#timer) this.#writeIn(DELAY);
    else if (isUrgent && !this.#isFailing) this.#writeIn(0);
  }

  /** The journal has dropped the entry to keep its limits. */
  noteEvicted({ isClosed, isStored }: Entry): void {
    if (isClosed && !isStored && !this.#isStopped) this.#journal.counts.lost += 1;
  }

  /** The journal was emptied. */
  replaceAll(): void {
    this.#replaces = true;
    this.#from = 1;
    this.#writeIn(0);
  }

  /** Stores nothing more by itself. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Stores the rest, and that no numbers are reserved. What cannot be stored is lost. */
  async finish(): Promise<void> {
    this.stop();
    await this.#writing;
    await this.#writeAll(0).catch(() => {
      const left = this.#journal.from(this.#from);
      this.#journal.counts.lost += left.filter(isWaiting).length;
    });
  }

  /** `delay`: milliseconds. */
  #writeIn(delay: number): void {
    if (this.#isStopped || this.#writing) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#write();
    }, delay).unref();
  }

  async #write(): Promise<void> {
    await this.#writeAll(RESERVED).then(
      () => (this.#isFailing = false),
      () => (this.#isFailing = true), // the store warns
    );
    this.#writing = undefined;
    if (this.#isFailing) this.#writeIn(RETRY_DELAY);
    else if (this.#waiting.calls > 0 || this.#replaces) this.#writeIn(DELAY);
  }

  /** Writes batches until all complete calls are stored. `reserved`: 0 at the end. */
  async #writeAll(reserved: number): Promise<void> {
    for (;;) {
      if (this.#isStopped && reserved > 0) return;
      const { entries, calls } = this.#take();
      const position = this.#journal.position();
      const next = position.next + reserved;
      const replaces = this.#replaces;
      const isDue = reserved === 0 && this.#next !== undefined && this.#next !== next;
      if (entries.length === 0 && !replaces && !isDue) return;
      await this.#writeBatch(entries, batchOf(position, calls, { replaces, reserved }));
      this.#next = next;
      await nextTurn();
    }
  }

  async #writeBatch(entries: readonly Entry[], batch: CallBatch): Promise<void> {
    this.#replaces = false;
    try {
      await this.#store.write(batch);
      this.#journal.counts.stored += entries.length;
    } catch (thrown) {
      this.#replaces ||= batch.replaces;
      this.#from = Math.min(this.#from, entries[0]?.number ?? Infinity);
      for (const entry of entries) entry.isStored = false;
      const { evicted } = this.#journal.position();
      this.#journal.counts.lost += entries.filter(({ number }) => number <= evicted).length;
      throw thrown;
    }
  }

  /** The next calls to store, as far as one batch may have them, and each one as JSON. */
  #take(): { entries: Entry[]; calls: string[] } {
    const [entries, calls]: [Entry[], string[]] = [[], []];
    let length = 0;
    let from: number | undefined;
    for (const entry of this.#journal.from(this.#from)) {
      const hasRoom = entries.length < MOST_CALLS && length < MOST_CHARACTERS;
      if (!isWaiting(entry) || !hasRoom) {
        if (!entry.isStored) from ??= entry.number;
        continue;
      }
      const text = storedTextOf(entry);
      length += text.length;
      entry.isStored = true;
      entries.push(entry);
      calls.push(text);
    }
    this.#from = from ?? this.#journal.position().next;
    this.#waiting = { calls: 0, bytes: 0 };
    return { entries, calls };
  }
}

const isWaiting = ({ isClosed, isStored }: Entry): boolean => isClosed && !isStored;
