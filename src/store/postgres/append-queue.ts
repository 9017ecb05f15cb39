import { setTimeout as delay } from 'node:timers/promises';
import { StoreError, StoreUnavailable } from '../change-log.ts';
import { sqlStateOf, type Database } from './database.ts';
import type { Lease } from './lease.ts';
import type { Tenure } from './tenure.ts';

/** Milliseconds between two tries. */
const RETRY_DELAY = 100;
/** Characters that one statement may carry, unless one environment has more. */
const MAX_LENGTH = 8_000_000;

/** Commits of one environment that go into one statement. */
export interface Batch {
  tenure: Tenure;
  /** Position of the first one. */
  position: number;
  bodies: string[];
  stored: PromiseWithResolvers;
}

interface PromiseWithResolvers {
  promise: Promise<void>;
  resolve: () => void;
  reject: (reason: StoreError) => void;
}

/**
 * Appends where epoch, owner and position match, and returns the environments where they did. The rows are locked in
 * order of name, because two statements that lock in different orders block each other.
 */
const APPEND = `
  WITH wanted AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
      AS w(name, owner, epoch, position, count)
  ), locked AS (
    SELECT e.name, e.epoch, w.count FROM understudy_environments e JOIN wanted w
      ON e.name = w.name AND e.owner = w.owner AND e.epoch = w.epoch AND e.position = w.position
      ORDER BY e.name FOR UPDATE OF e
  ), moved AS (
    UPDATE understudy_environments e SET position = e.position + l.count
      FROM locked l WHERE e.name = l.name RETURNING e.name, e.epoch
  ), added AS (
    INSERT INTO understudy_commits (environment, position, epoch, body)
      SELECT c.name, c.position, m.epoch, c.body FROM unnest($6::text[], $7::bigint[], $8::text[]) AS c(name, position, body)
      JOIN moved m ON m.name = c.name
  )
  SELECT name FROM moved`;

/** Stores the commits of all environments: those that come while a statement runs go together into the next one. */
export class AppendQueue {
  readonly #database: Database;
  readonly #lease: Lease;
  readonly #waiting = new Map<Tenure, Batch>();
  /** The batches of the present statement. */
  #running: readonly Batch[] = [];
  #isRunning = false;

  constructor(database: Database, lease: Lease) {
    this.#database = database;
    this.#lease = lease;
  }

  /** The returned batch is stored later. */
  add(tenure: Tenure, position: number, body: string): Batch {
    const known = this.#waiting.get(tenure);
    if (known) {
      known.bodies.push(body);
      return known;
    }
    const batch = { tenure, position, bodies: [body], stored: withResolvers() };
    this.#waiting.set(tenure, batch);
    if (!this.#isRunning) {
      this.#isRunning = true;
      setImmediate(() => void this.#run());
    }
    return batch;
  }

  /** Resolves once no statement is under way that has commits of the environment. */
  async settled(name: string): Promise<void> {
    const own = this.#running.filter(({ tenure }) => tenure.name === name);
    await Promise.allSettled(own.map(({ stored }) => stored.promise));
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) await this.#store((this.#running = this.#take()));
    this.#running = [];
    this.#isRunning = false;
  }

  #take(): Batch[] {
    const taken: Batch[] = [];
    let length = 0;
    for (const [tenure, batch] of this.#waiting) {
      if (length > MAX_LENGTH) break;
      length += batch.bodies.reduce((sum, body) => sum + body.length, 0);
      taken.push(batch);
      this.#waiting.delete(tenure);
    }
    return taken;
  }

  /** Repeats the statement until it succeeds or the lease is over. */
  async #store(batches: readonly Batch[]): Promise<void> {
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        const stored = await this.#append(batches);
        const others = batches.filter(({ tenure }) => !stored.has(tenure.name));
        const landed = isRepeated && others.length > 0 ? await this.#landed(others) : new Set();
        for (const batch of batches)
          if (stored.has(batch.tenure.name) || landed.has(batch)) batch.stored.resolve();
          else this.#fail(batch, lostTo(batch.tenure.name));
        return;
      } catch (thrown) {
        if (isAboutData(thrown)) return this.#storeEach(batches, thrown as StoreError);
        const refusal = this.#lease.refusal();
        if (refusal) return batches.forEach((batch) => this.#fail(batch, refusal));
        await delay(RETRY_DELAY);
      }
    }
  }

  /** What the database refuses for one environment must not stop others. */
  async #storeEach(batches: readonly Batch[], refusal: StoreError): Promise<void> {
    if (batches.length === 1) return this.#fail(batches[0]!, refusal);
    for (const batch of batches) await this.#store([batch]);
  }

  async #append(batches: readonly Batch[]): Promise<ReadonlySet<string>> {
    const bodies = batches.flatMap(({ tenure: { name }, position, bodies: all }) =>
      all.map((body, index) => ({ name, position: position + index, body })),
    );
    const rows = await this.#database.query<{ name: string }>(APPEND, [
      batches.map(({ tenure }) => tenure.name),
      batches.map(({ tenure }) => tenure.owner),
      batches.map(({ tenure }) => tenure.epoch),
      batches.map(({ position }) => position),
      batches.map((batch) => batch.bodies.length),
      bodies.map(({ name }) => name),
      bodies.map(({ position }) => position),
      bodies.map(({ body }) => body),
    ]);
    return new Set(rows.map(({ name }) => name));
  }

  /** The batches that an earlier try has stored although its connection broke. */
  async #landed(batches: readonly Batch[]): Promise<ReadonlySet<Batch>> {
    const rows = await this.#database.query<{ name: string }>(
      `SELECT environment AS name FROM understudy_commits c
        JOIN unnest($1::text[], $2::bigint[], $3::bigint[]) AS w(name, epoch, position)
        ON c.environment = w.name AND c.epoch = w.epoch AND c.position = w.position`,
      [
        batches.map(({ tenure }) => tenure.name),
        batches.map(({ tenure }) => tenure.epoch),
        batches.map(({ position, bodies }) => position + bodies.length - 1),
      ],
    );
    const found = new Set(rows.map(({ name }) => name));
    return new Set(batches.filter(({ tenure }) => found.has(tenure.name)));
  }

  /** Commits that wait behind the failed ones cannot be stored either. */
  #fail(batch: Batch, reason: StoreError): void {
    const next = this.#waiting.get(batch.tenure);
    this.#waiting.delete(batch.tenure);
    batch.tenure.end(reason, batch.position);
    batch.stored.reject(reason);
    next?.stored.reject(reason);
  }
}

/** Classes 22 (data exception), 23 (constraint) and 54 (limit exceeded) of PostgreSQL's errors. */
const isAboutData = (thrown: unknown): boolean => /^(22|23|54)/.test(sqlStateOf(thrown) ?? '');

export const lostTo = (name: string) =>
  new StoreUnavailable(`environment ${name} belongs to another process by now: try again`);

function withResolvers(): PromiseWithResolvers {
  let [resolve, reject]: [() => void, (reason: StoreError) => void] = [() => {}, () => {}];
  const promise = new Promise<void>((onStored, onFailed) => ([resolve, reject] = [onStored, onFailed]));
  promise.catch(() => {}); // those who wait for it get the error
  return { promise, resolve, reject };
}
