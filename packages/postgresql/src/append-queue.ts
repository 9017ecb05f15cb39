import { setTimeout as delay } from 'node:timers/promises';
import {
  type Change,
  type Commit,
  type StoreError,
  StoreUnavailable,
} from '@understudy/core/store/change-log';
import type { Tenure } from './tenure.ts';
import { sqlStateOf, type Database } from './database.ts';
import type { Lease } from './lease.ts';

/** Rows of a whole state that one part of its commit has. */
const PART_ROWS = 2000;

/** Commits of one environment that are stored together. */
export interface Batch {
  tenure: Tenure;
  /** Position of the first one. */
  position: number;
  bodies: string[];
  /** How many of them are in the database already; they count only once the position has passed them. */
  staged: number;
  stored: PromiseWithResolvers;
}

interface PromiseWithResolvers {
  promise: Promise<void>;
  resolve: () => void;
  reject: (reason: StoreError) => void;
}

const createBatch = (tenure: Tenure, position: number): Batch => ({
  tenure,
  position,
  bodies: [],
  staged: 0,
  stored: withResolvers(),
});

function withResolvers(): PromiseWithResolvers {
  let [resolve, reject]: [() => void, (reason: StoreError) => void] = [() => {}, () => {}];
  const promise = new Promise<void>((onStored, onFailed) => ([resolve, reject] = [onStored, onFailed]));
  promise.catch(() => {}); // the callers that wait for it get the error
  return { promise, resolve, reject };
}

/** The length of the commits that are not in the database. */
const lengthOf = ({ bodies, staged }: Batch): number =>
  bodies.slice(staged).reduce((sum, body) => sum + body.length, 0);

/** The commit as text. A whole state becomes several commits: an empty state, and changes that add its rows. */
export function bodiesOf(commit: Commit): string[] {
  const { base, changes, marks } = commit;
  if (base === undefined || base === 'fixture') return [JSON.stringify(commit)];
  const count = Object.values(base).reduce((sum, rows) => sum + rows.length, 0);
  if (count <= PART_ROWS) return [JSON.stringify(commit)];
  const empty = Object.fromEntries(Object.keys(base).map((collection) => [collection, []]));
  const added = Object.entries(base).flatMap(([collection, rows]): Change[] =>
    rows.map((row) => ({ collection, id: row.id, row })),
  );
  const all = [...added, ...changes];
  const parts: Commit[] = [{ base: empty, changes: [], marks }];
  for (let at = 0; at < all.length; at += PART_ROWS)
    parts.push({ changes: all.slice(at, at + PART_ROWS), marks });
  return parts.map((part) => JSON.stringify(part));
}

/** Milliseconds between two tries. */
const RETRY_DELAY = 100;
/** Characters that one statement may carry, unless one environment has more. */
const MAX_LENGTH = 8_000_000;

/**
 * Appends where epoch, owner and position match, and returns the environments where they did. The rows are locked in
 * order of name, because two statements that lock in different orders block each other.
 */
const append = (locking: 'FOR UPDATE OF e' | 'FOR UPDATE OF e SKIP LOCKED') => `
  WITH wanted AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
      AS w(name, owner, epoch, position, count)
  ), locked AS (
    SELECT e.name, e.epoch, w.count FROM understudy_environments e JOIN wanted w
      ON e.name = w.name AND e.owner = w.owner AND e.epoch = w.epoch AND e.position = w.position
      ORDER BY e.name ${locking}
  ), moved AS (
    UPDATE understudy_environments e SET position = e.position + l.count
      FROM locked l WHERE e.name = l.name RETURNING e.name, e.epoch
  ), added AS (
    INSERT INTO understudy_commits (environment, position, epoch, body)
      SELECT c.name, c.position, m.epoch, c.body FROM unnest($6::text[], $7::bigint[], $8::text[]) AS c(name, position, body)
      JOIN moved m ON m.name = c.name
  )
  SELECT name FROM moved`;

const APPEND = append('FOR UPDATE OF e');
/** What somebody else has locked is left out, so that it does not hold up the others. */
const APPEND_UNLOCKED = append('FOR UPDATE OF e SKIP LOCKED');

/** Adds commits behind the position, where nobody reads them; another owner removes them. */
const STAGE = `
  WITH owned AS (
    SELECT name, epoch FROM understudy_environments
      WHERE name = $1 AND owner = $2 AND epoch = $3 AND position = $4 FOR UPDATE
  )
  INSERT INTO understudy_commits (environment, position, epoch, body)
    SELECT o.name, $5 + c.number - 1, o.epoch, c.body
      FROM owned o CROSS JOIN unnest($6::text[]) WITH ORDINALITY AS c(body, number)
    ON CONFLICT (environment, position) DO UPDATE SET epoch = excluded.epoch, body = excluded.body
    RETURNING position`;

interface StoreAttempt {
  /** When nobody waits any longer, in milliseconds of `performance.now()`. */
  until: number;
  /** An earlier try may have stored the commits. */
  isRepeated: boolean;
}

/** Stores the commits of all environments: those that come while a statement runs go together into the next one. */
export class AppendQueue {
  readonly #database: Database;
  readonly #lease: Lease;
  readonly #waiting = new Map<Tenure, Batch>();
  readonly #storing = new Set<Batch>();
  /** Environments whose commits are stored on their own, because they were locked. */
  readonly #alone = new Set<Tenure>();
  #isRunning = false;

  constructor(database: Database, lease: Lease) {
    this.#database = database;
    this.#lease = lease;
  }

  /** The returned batch is stored later. `position`: of the first of these commits. */
  add(tenure: Tenure, position: number, bodies: readonly string[]): Batch {
    const known = this.#waiting.get(tenure);
    const batch = known ?? createBatch(tenure, position);
    for (const body of bodies) batch.bodies.push(body);
    this.#waiting.set(tenure, batch);
    this.#start();
    return batch;
  }

  /** Resolves once no statement is under way that has commits of the environment. */
  async settled(name: string): Promise<void> {
    const own = [...this.#storing].filter(({ tenure }) => tenure.name === name);
    await Promise.allSettled(own.map(({ stored }) => stored.promise));
  }

  /** The number of commits that are not stored yet, by environment. */
  unstored(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { tenure, bodies } of [...this.#storing, ...this.#waiting.values()])
      counts.set(tenure.name, (counts.get(tenure.name) ?? 0) + bodies.length);
    return counts;
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    for (let batches = this.#take(); batches.length > 0; batches = this.#take()) await this.#store(batches);
    this.#isRunning = false;
  }

  #take(): Batch[] {
    const taken: Batch[] = [];
    let length = 0;
    for (const [tenure, batch] of this.#waiting) {
      if (length > MAX_LENGTH) break;
      if (this.#alone.has(tenure)) continue;
      length += lengthOf(batch);
      taken.push(batch);
      this.#storing.add(batch);
      this.#waiting.delete(tenure);
    }
    return taken;
  }

  /** Repeats the statement until it succeeds, the lease is over, or it has failed for as long as a lease lasts. */
  async #store(batches: readonly Batch[], attempt = this.#firstAttempt()): Promise<void> {
    for (let { isRepeated } = attempt; ; isRepeated = true) {
      try {
        const stored = await this.#append(batches);
        for (const batch of batches)
          if (stored.has(batch.tenure.name)) this.#finish(batch);
          else if (batches.length > 1) this.#storeAlone(batch, { ...attempt, isRepeated });
          else if (isRepeated && (await this.#hasLanded(batch))) this.#finish(batch);
          else this.#fail(batch, lostTo(batch.tenure.name));
        return;
      } catch (thrown) {
        if (isAboutData(thrown)) return this.#storeEach(batches, thrown as StoreError);
        const refusal = this.#lease.refusal() ?? this.#lateRefusal(thrown as StoreError, attempt);
        if (refusal) return batches.forEach((batch) => this.#fail(batch, refusal));
        await delay(RETRY_DELAY);
      }
    }
  }

  /** It is locked, lost, or has landed already. Commits that come meanwhile wait for it. */
  #storeAlone(batch: Batch, attempt: StoreAttempt): void {
    this.#alone.add(batch.tenure);
    void this.#store([batch], attempt).finally(() => {
      this.#alone.delete(batch.tenure);
      this.#start();
    });
  }

  #firstAttempt(): StoreAttempt {
    return { until: performance.now() + this.#lease.length, isRepeated: false };
  }

  /** Heartbeats succeed and changes do not: a table is locked, read-only or not permitted, for example. */
  #lateRefusal({ message }: StoreError, { until }: StoreAttempt): StoreUnavailable | undefined {
    if (performance.now() < until) return undefined;
    this.#lease.warn(`${message}: changes are refused, and dropped from memory`);
    return new StoreUnavailable(`${message}: the change was not stored, try again`);
  }

  /** What the database refuses for one environment must not stop others. */
  async #storeEach(batches: readonly Batch[], refusal: StoreError): Promise<void> {
    if (batches.length === 1) return this.#fail(batches[0]!, refusal);
    for (const batch of batches) await this.#store([batch]);
  }

  async #append(batches: readonly Batch[]): Promise<ReadonlySet<string>> {
    for (const batch of batches) await this.#stage(batch);
    const bodies = batches.flatMap(({ tenure: { name }, position, bodies: all, staged }) =>
      all.slice(staged).map((body, index) => ({ name, position: position + staged + index, body })),
    );
    const timeout = this.#lease.length / 2;
    const values = [
      batches.map(({ tenure }) => tenure.name),
      batches.map(({ tenure }) => tenure.owner),
      batches.map(({ tenure }) => tenure.epoch),
      batches.map(({ position }) => position),
      batches.map((batch) => batch.bodies.length),
      bodies.map(({ name }) => name),
      bodies.map(({ position }) => position),
      bodies.map(({ body }) => body),
    ];
    const sent = performance.now();
    const statement = batches.length > 1 ? APPEND_UNLOCKED : APPEND;
    const rows = await this.#database.query<{ name: string }>(statement, values, timeout);
    this.#lease.appendTime = performance.now() - sent;
    return new Set(rows.map(({ name }) => name));
  }

  /** Stores the first commits of a batch that is too long for one statement. */
  async #stage(batch: Batch): Promise<void> {
    const { tenure, position, bodies } = batch;
    while (lengthOf(batch) > MAX_LENGTH && batch.staged < bodies.length - 1) {
      const next = [bodies[batch.staged]!];
      for (let length = next[0]!.length; batch.staged + next.length < bodies.length - 1;) {
        const body = bodies[batch.staged + next.length]!;
        if ((length += body.length) > MAX_LENGTH) break;
        next.push(body);
      }
      const first = position + batch.staged;
      const values = [tenure.name, tenure.owner, tenure.epoch, position, first, next];
      if ((await this.#database.query(STAGE, values)).length === 0) return; // the environment is lost, or all is there
      batch.staged += next.length;
    }
  }

  /** Whether an earlier try has stored the batch although its connection broke. */
  async #hasLanded({ tenure: { name, epoch }, position, bodies }: Batch): Promise<boolean> {
    const last = position + bodies.length - 1;
    const found = await this.#database.query(
      'SELECT position FROM understudy_commits WHERE environment = $1 AND epoch = $2 AND position = $3',
      [name, epoch, last],
    );
    return found.length > 0;
  }

  /**
   * The database may confirm commits so late that the lease has ended, and another process may have changed the same rows.
   * Such commits count as failed. If this process opens the environment again, it removes them.
   */
  #finish(batch: Batch): void {
    const refusal = batch.tenure.ending ?? this.#lease.refusal();
    if (refusal) return this.#fail(batch, refusal);
    this.#storing.delete(batch);
    batch.stored.resolve();
  }

  /** Commits that wait behind the failed ones cannot be stored either. */
  #fail(batch: Batch, reason: StoreError): void {
    this.#storing.delete(batch);
    const next = this.#waiting.get(batch.tenure);
    this.#waiting.delete(batch.tenure);
    batch.tenure.end(reason, { from: batch.position });
    batch.stored.reject(reason);
    next?.stored.reject(reason);
  }
}

/** Classes 22 (data exception), 23 (constraint) and 54 (limit exceeded) of PostgreSQL's errors. */
const isAboutData = (thrown: unknown): boolean => /^(22|23|54)/.test(sqlStateOf(thrown) ?? '');

export const lostTo = (name: string) =>
  new StoreUnavailable(`environment ${name} belongs to another process now: try again`);
