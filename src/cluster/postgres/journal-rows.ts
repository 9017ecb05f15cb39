import type { CallBatch, StoredJournal } from '../../store/storage.ts';
import type { Database } from './database.ts';
import type { JournalQueue } from './journal-queue.ts';
import type { Tenure } from './tenure.ts';

const READ = 'SELECT body FROM understudy_journal WHERE environment = $1 ORDER BY epoch, number';

/** The calls of one environment, with one row for each batch. Only its owner writes them. */
export class JournalRows implements StoredJournal {
  readonly #database: Database;
  readonly #queue: JournalQueue;
  readonly #tenure: Tenure;
  #number = 0;
  #writing: Promise<void> | undefined;

  constructor(database: Database, queue: JournalQueue, tenure: Tenure) {
    this.#database = database;
    this.#queue = queue;
    this.#tenure = tenure;
  }

  async read(): Promise<readonly string[]> {
    const rows = await this.#database.query<{ body: string }>(READ, [this.#tenure.name]);
    return rows.map(({ body }) => body);
  }

  write(batch: CallBatch): Promise<void> {
    if (this.#tenure.ending) return Promise.reject(this.#tenure.ending);
    // Another number after a failure too, because the batch may have been stored.
    this.#number += 1;
    return (this.#writing = this.#queue.add(this.#tenure, this.#number, batch));
  }

  /** Resolves once nothing is being written. */
  async settled(): Promise<void> {
    await this.#writing?.catch(() => {}); // the caller that wrote gets the error
  }
}
