import { setTimeout as delay } from 'node:timers/promises';
import type { CallTable } from '../store/storage.ts';
import type { Entry } from './entry.ts';
import { entryIn, storedTextOf } from './stored-calls.ts';

/** Milliseconds after which a call is in the table, together with those that came meanwhile. */
const DELAY = 20;
/** Milliseconds after which a call that was answered before is in the table, if nothing is slow. */
const LATEST = 2 * DELAY;

/** Writes the calls of one environment that this process has answered to a table, and reads those of other processes. */
export class CallSharing {
  readonly #table: CallTable;
  readonly #add: (entries: readonly Entry[], cleared: number) => void;
  readonly #evicted: () => number;
  #waiting: Entry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;

  /**
   * `add` is called with the calls of other processes, and with the number up to which calls were removed. `evicted`: the number
   * of the latest call that is no longer kept.
   */
  constructor(
    table: CallTable,
    add: (entries: readonly Entry[], cleared: number) => void,
    evicted: () => number,
  ) {
    this.#table = table;
    this.#add = add;
    this.#evicted = evicted;
  }

  /** The call is complete. */
  note(entry: Entry): void {
    this.#waiting.push(entry);
    this.#timer ??= setTimeout(() => void this.flush(), DELAY);
  }

  /** Writes what waits. What cannot be written is lost for other processes. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const entries = this.#waiting;
    this.#waiting = [];
    if (entries.length === 0) return;
    const calls = entries.map((entry) => ({ number: entry.number, text: storedTextOf(entry) }));
    await this.#table.add(calls, this.#evicted()).catch(() => {}); // the store warns
  }

  /** Resolves once the calls are known that other processes had answered before. */
  async readOn(): Promise<void> {
    await delay(LATEST);
    await this.read();
  }

  /** Reads what is there now. */
  read(): Promise<void> {
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  async #read(): Promise<void> {
    const { texts, cleared } = await this.#table.news();
    this.#add(texts.map(entryIn), cleared);
  }
}
