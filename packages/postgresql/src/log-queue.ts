import { setTimeout as delay } from 'node:timers/promises';
import { type StoreError, StoreUnavailable } from '@understudy/core/store/change-log';
import { sqlStateOf, type Database } from './database.ts';

/** Commits of one environment that are stored together, as one row. */
export interface Batch {
  /** Says later whether it was stored, if the answer was lost. */
  readonly id: string;
  /** JSON of an array of commits. */
  readonly body: string;
  readonly position: number;
}

export interface StoredBatch {
  id: string;
  position: number;
  body: string;
}

/** One environment of the queues. */
export interface QueuedLog {
  /** Another one in each life of an environment. */
  readonly life: string;
  /** The position of the first batch that is not known. */
  readonly position: number;
  /** What is to be stored next; undefined: nothing. */
  take(): Batch | undefined;
  landed(batch: Batch): void;
  /** Another process has stored something else at this position, or the environment was removed. */
  overtaken(batch: Batch): void;
  /** Nobody knows whether the batch is or will be stored. */
  failed(batch: Batch, reason: StoreError): void;
  /** `rows`: from `position` on; undefined: the environment was removed. */
  found(rows: readonly StoredBatch[] | undefined): Promise<void>;
}

const APPEND = `
  INSERT INTO understudy_commits (life, position, batch, body)
    SELECT w.life, w.position, w.batch, w.body
      FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[]) AS w(life, position, batch, body)
      JOIN understudy_environments e ON e.life = w.life
      ORDER BY w.life
    ON CONFLICT DO NOTHING
    RETURNING life`;

const LANDED = `
  SELECT c.life FROM understudy_commits c
    JOIN unnest($1::uuid[], $2::bigint[], $3::uuid[]) AS w(life, position, batch)
      ON c.life = w.life AND c.position = w.position AND c.batch = w.batch`;

const READ = `
  SELECT w.life, e.life IS NOT NULL AS exists, c.position, c.batch, c.body
    FROM unnest($1::uuid[], $2::bigint[]) AS w(life, position)
    LEFT JOIN understudy_environments e ON e.life = w.life
    LEFT JOIN understudy_commits c ON c.life = w.life AND c.position >= w.position
    ORDER BY w.life, c.position`;

/** Milliseconds between two tries. */
const RETRY_DELAY = 100;
/** Characters that one statement may carry, unless one environment has more. */
const MAX_LENGTH = 8_000_000;

/** Stores the batches of all environments: those that come while a statement runs go together into the next one. */
export class AppendQueue {
  readonly #database: Database;
  readonly #patience: number;
  readonly #onFailed: (reason: unknown) => void;
  readonly #waiting = new Set<QueuedLog>();
  #isRunning = false;

  /** `patience`: milliseconds until a batch that cannot be stored has failed. */
  constructor(database: Database, patience: number, onFailed: (reason: unknown) => void) {
    this.#database = database;
    this.#patience = patience;
    this.#onFailed = onFailed;
  }

  /** The environment has something to store. */
  add(log: QueuedLog): void {
    this.#waiting.add(log);
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    for (let taken = this.#take(); taken.length > 0; taken = this.#take()) await this.#store(taken);
    this.#isRunning = false;
  }

  #take(): [QueuedLog, Batch][] {
    const taken: [QueuedLog, Batch][] = [];
    let length = 0;
    for (const log of this.#waiting) {
      if (length > MAX_LENGTH) break;
      this.#waiting.delete(log);
      const batch = log.take();
      if (!batch) continue;
      taken.push([log, batch]);
      length += batch.body.length;
    }
    return taken;
  }

  async #store(taken: readonly [QueuedLog, Batch][]): Promise<void> {
    const until = performance.now() + this.#patience;
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        const stored = await this.#append(taken, isRepeated);
        for (const [log, batch] of taken)
          if (stored.has(log.life)) log.landed(batch);
          else log.overtaken(batch);
        return;
      } catch (thrown) {
        const isRefused = isAboutData(thrown);
        if (isRefused && taken.length > 1) {
          for (const each of taken) await this.#store([each]);
          return;
        }
        if (!isRefused && performance.now() > until) this.#onFailed(thrown);
        if (isRefused || performance.now() > until)
          return taken.forEach(([log, batch]) =>
            log.failed(batch, lastFailure(thrown as StoreError, isRefused)),
          );
        await delay(RETRY_DELAY);
      }
    }
  }

  async #append(taken: readonly [QueuedLog, Batch][], isRepeated: boolean): Promise<ReadonlySet<string>> {
    const places = [
      taken.map(([{ life }]) => life),
      taken.map(([, { position }]) => position),
      taken.map(([, { id }]) => id),
    ];
    const added = await this.#database.query<{ life: string }>(APPEND, [
      ...places,
      taken.map(([, { body }]) => body),
    ]);
    const stored = new Set(added.map(({ life }) => life));
    if (!isRepeated || stored.size === taken.length) return stored;
    const earlier = await this.#database.query<{ life: string }>(LANDED, places);
    return new Set([...stored, ...earlier.map(({ life }) => life)]);
  }
}

const lastFailure = (thrown: StoreError, isRefused: boolean): StoreError =>
  isRefused
    ? thrown
    : new StoreUnavailable(`${thrown.message}: nobody knows whether the change was stored`, {
        cause: thrown,
      });

/** Classes 22 (data exception), 23 (constraint) and 54 (limit exceeded) of PostgreSQL's errors. */
const isAboutData = (thrown: unknown): boolean => /^(22|23|54)/.test(sqlStateOf(thrown) ?? '');

/** Reads what is new in all environments whose callers wait: one statement at a time for all that have come before. */
export class ReadQueue {
  readonly #database: Database;
  readonly #onFailed: (reason: unknown) => void;
  #next: { logs: Set<QueuedLog>; reading: Promise<void> } | undefined;

  constructor(database: Database, onFailed: (reason: unknown) => void) {
    this.#database = database;
    this.#onFailed = onFailed;
  }

  /** Resolves once the environment has everything that was stored before this call. */
  read(log: QueuedLog): Promise<void> {
    this.#next ??= this.#begin();
    this.#next.logs.add(log);
    return this.#next.reading;
  }

  #begin() {
    const logs = new Set<QueuedLog>();
    const reading = new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      this.#next = undefined; // whoever comes from now on needs a later look
      await this.#read([...logs]);
    });
    reading.catch(this.#onFailed); // the callers that wait for it get it too
    return { logs, reading };
  }

  async #read(logs: readonly QueuedLog[]): Promise<void> {
    const rows = await this.#database.query<{
      life: string;
      exists: boolean;
      position: string | null;
      batch: string;
      body: string;
    }>(READ, [logs.map(({ life }) => life), logs.map(({ position }) => position)]);
    const found = new Map<string, StoredBatch[] | undefined>();
    for (const { life, exists, position, batch: id, body } of rows) {
      const known = found.get(life) ?? [];
      if (exists && position !== null) known.push({ id, position: Number(position), body });
      found.set(life, exists ? known : undefined);
    }
    await Promise.all(logs.map((log) => log.found(found.get(log.life))));
  }
}
