import type { CallBatch, StoredJournal } from '@understudy/core/store/storage';
import { lostTo } from './append-queue.ts';
import type { Database } from './database.ts';
import type { Tenure } from './tenure.ts';

/** Characters that one statement may carry, unless one batch has more. */
const MOST_CHARACTERS = 4_000_000;

/**
 * Adds batches where owner and epoch match, and returns these environments. It locks no row of an environment, so that it
 * never holds up a commit. So a batch may become visible just after a take-over. The next owner has not read it, but its
 * calls did happen, and their numbers are not given out again. The epoch puts them before a reset by the next owner.
 */
const WRITE = `
  WITH owned AS (
    SELECT w.* FROM unnest(
      $1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::int[], $8::text[]
    ) AS w(name, owner, epoch, number, last_call, oldest, replaces, body)
      JOIN understudy_environments e ON e.name = w.name AND e.owner = w.owner AND e.epoch = w.epoch
  ), removed AS (
    DELETE FROM understudy_journal j USING owned o
      WHERE j.environment = o.name AND (j.last_call < o.oldest OR o.replaces = 1)
  ), added AS (
    INSERT INTO understudy_journal (environment, epoch, number, last_call, body)
      SELECT name, epoch, number, last_call, body FROM owned
  )
  SELECT name FROM owned`;

interface WaitingBatch {
  tenure: Tenure;
  number: number;
  batch: CallBatch;
  resolve: () => void;
  reject: (reason: unknown) => void;
}

/** Writes the calls of all environments: batches that come while a statement runs go together into the next one. */
export class JournalQueue {
  readonly #database: Database;
  readonly #warn: (line: string) => void;
  #waiting: WaitingBatch[] = [];
  #isRunning = false;
  /** The last statement has failed. */
  #isFailing = false;

  constructor(database: Database, warn: (line: string) => void) {
    this.#database = database;
    this.#warn = warn;
  }

  /** Each environment has at most one batch here. Rejects if it is not stored, or nobody knows. */
  add(tenure: Tenure, number: number, batch: CallBatch): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ tenure, number, batch, resolve, reject });
      if (this.#isRunning) return;
      this.#isRunning = true;
      setImmediate(() => void this.#run());
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) await this.#store(this.#take());
    this.#isRunning = false;
  }

  #take(): WaitingBatch[] {
    let length = 0;
    const end = this.#waiting.findIndex(({ batch }) => (length += batch.text.length) > MOST_CHARACTERS);
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(1, end));
  }

  async #store(batches: readonly WaitingBatch[]): Promise<void> {
    try {
      const owned = await this.#write(batches);
      for (const { tenure, resolve, reject } of batches)
        if (owned.has(tenure.name)) resolve();
        else reject(lostTo(tenure.name));
      if (this.#isFailing)
        this.#warn(`database ${this.#database.shown}: the calls of journals are stored again`);
      this.#isFailing = false;
    } catch (thrown) {
      if (!this.#isFailing) this.#warn(`${(thrown as Error).message}: calls of journals wait to be stored`);
      this.#isFailing = true;
      for (const { reject } of batches) reject(thrown);
    }
  }

  async #write(batches: readonly WaitingBatch[]): Promise<ReadonlySet<string>> {
    const rows = await this.#database.query<{ name: string }>(WRITE, [
      batches.map(({ tenure }) => tenure.name),
      batches.map(({ tenure }) => tenure.owner),
      batches.map(({ tenure }) => tenure.epoch),
      batches.map(({ number }) => number),
      batches.map(({ batch }) => batch.last),
      batches.map(({ batch }) => batch.oldest),
      batches.map(({ batch }) => Number(batch.replaces)),
      batches.map(({ batch }) => batch.text),
    ]);
    return new Set(rows.map(({ name }) => name));
  }
}

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
