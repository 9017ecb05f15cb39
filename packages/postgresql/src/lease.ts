import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Session } from './database.ts';
import { StoreError, StoreUnavailable } from '@understudy/core/store/change-log';

/** What a process says of itself in the database. */
interface Replica {
  /** Another one in each life of the process. */
  id: string;
  /** Where other processes reach it; null: nowhere. */
  address: string | null;
  /** Hashes of the settings that must be the same in all processes, by name. */
  settings: Readonly<Record<string, string>>;
}

/** Rows of processes that ended without a word are removed after this time. */
const KEPT = "interval '1 minute'";

async function addReplica(session: Session, replica: Replica, length: number): Promise<void> {
  const { id, address, settings } = replica;
  await session.query(
    `INSERT INTO understudy_replicas (id, expires_at, address, settings)
      VALUES ($1, clock_timestamp() + $2 * interval '1 ms', $3, $4)`,
    [id, length, address, JSON.stringify(settings)],
  );
}

async function removeReplica(session: Session, id: string): Promise<void> {
  await session.query('DELETE FROM understudy_replicas WHERE id = $1', [id]);
}

/** Removes the rows of processes that ended long ago; the environments that they owned are free without them. */
async function forgetEnded(session: Session): Promise<void> {
  await session.query(
    `DELETE FROM understudy_replicas WHERE dead OR expires_at < clock_timestamp() - ${KEPT}`,
  );
}

interface Heartbeat {
  id: string;
  /** Milliseconds that others wait for the next one. */
  length: number;
  /** Milliseconds that the last append took. */
  appendTime: number | undefined;
}

/**
 * Extends the life of the process. Returns the ids of the processes that live; undefined: others have declared this
 * process dead.
 */
async function beat(database: Database, { id, length, appendTime }: Heartbeat): Promise<string | undefined> {
  const [alive] = await database.query<{ ids: string }>(
    `UPDATE understudy_replicas
      SET expires_at = clock_timestamp() + $2 * interval '1 ms', beat_at = clock_timestamp(), append_ms = $3
      WHERE id = $1 AND NOT dead
      RETURNING (
        SELECT string_agg(r.id, ' ' ORDER BY r.id) FROM understudy_replicas r
          WHERE NOT r.dead AND r.expires_at >= clock_timestamp()
      ) AS ids`,
    [id, length, appendTime ?? null],
  );
  return alive?.ids;
}

/** The names of the settings in which a living process, started before this one, differs from it. */
async function differingSettings(session: Session, { id, settings }: Replica): Promise<string[]> {
  const rows = await session.query<{ settings: string }>(
    `SELECT o.settings FROM understudy_replicas o JOIN understudy_replicas own ON own.id = $1
      WHERE o.id <> $1 AND NOT o.dead AND o.expires_at >= clock_timestamp()
      AND (o.started_at, o.id) < (own.started_at, own.id)`,
    [id],
  );
  const others = rows.map((row) => JSON.parse(row.settings) as Replica['settings']);
  return Object.keys(settings).filter((name) =>
    others.some((other) => other[name] !== undefined && other[name] !== settings[name]),
  );
}

/** The longest time between two heartbeats, in milliseconds. */
const LONGEST_PERIOD = 1000;
/** The time after a heartbeat that failed. */
const RETRY_PERIOD = 200;
/** The part of the lease after which this process stops answering, because clocks do not run equally fast. */
const USABLE = 0.9;
/** Heartbeats between two looks for rows of ended processes. */
const BEATS_TO_CLEANING = 60;

interface LeaseSettings extends Omit<Replica, 'id'> {
  /** Used for nothing else, so that no other statement can hold up a heartbeat. */
  database: Database;
  /** Milliseconds that others wait after the last heartbeat. */
  length: number;
  warn: (line: string) => void;
  /** Called after each heartbeat that succeeded. `living`: the ids of the processes; `wasAway`: `refusal` was set. */
  alive: (living: string, wasAway: boolean) => void;
  /** Called when others have declared this process dead. */
  dead: () => void;
}

/** How long a heartbeat may take, in milliseconds: a late one must leave time for another try. */
export const heartbeatTimeout = (length: number) => length / 3;

/**
 * The life of this process in the database: a row that a heartbeat extends. Its time is the database's clock; this
 * process counts from the moment before it sent the heartbeat.
 */
export class Lease {
  readonly #settings: LeaseSettings;
  #database: Database;
  #id = randomUUID();
  /** In milliseconds of `performance.now()`. */
  #usableUntil = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #beats = 0;
  #isAway = false;
  /** Whether calls were refused before the last heartbeat. */
  #wasAway = false;
  #isReleased = false;
  /** Milliseconds that the last append took. */
  appendTime: number | undefined;

  /** `starting` may be slower than heartbeats are. Throws StoreError if a living process has other settings. */
  static async take(starting: Database, settings: LeaseSettings): Promise<Lease> {
    const lease = new Lease(starting, settings);
    await lease.#begin();
    await lease.#refuseOtherSettings();
    lease.#database = settings.database;
    lease.#wait();
    return lease;
  }

  private constructor(starting: Database, settings: LeaseSettings) {
    this.#database = starting;
    this.#settings = settings;
  }

  /** Another one in each life. */
  get id(): string {
    return this.#id;
  }

  get length(): number {
    return this.#settings.length;
  }

  warn(line: string): void {
    this.#settings.warn(line);
  }

  /** Why this process may not answer for what it owns. */
  refusal(): StoreUnavailable | undefined {
    if (performance.now() < this.#usableUntil) return undefined;
    return new StoreUnavailable(`database ${this.#database.shown} cannot be reached: try again`);
  }

  /** From now on the environments of this process are free. */
  async release(): Promise<void> {
    this.#isReleased = true;
    clearTimeout(this.#timer);
    this.#usableUntil = -Infinity;
    await this.#beating;
    await removeReplica(this.#database, this.#id).catch(() => {}); // it ends by itself
  }

  async #begin(): Promise<void> {
    const { length, address, settings } = this.#settings;
    await forgetEnded(this.#database);
    const sent = performance.now();
    await addReplica(this.#database, { id: this.#id, address, settings }, length);
    this.#extend(sent);
  }

  /** A process that was killed counts as living until its lease is over. */
  async #refuseOtherSettings(): Promise<void> {
    const { address, settings, length } = this.#settings;
    const own = { id: this.#id, address, settings };
    const end = performance.now() + 2 * length;
    for (;;) {
      const names = await differingSettings(this.#database, own);
      if (names.length === 0) return;
      if (performance.now() < end) {
        await delay(RETRY_PERIOD);
        await this.#beatOnce();
        continue;
      }
      await this.release();
      throw new StoreError(
        `other processes that use database ${this.#database.shown} were started with another ${names.join(', another ')}: ` +
          'start all of them with the same one, or stop them first',
      );
    }
  }

  #wait(period = Math.min(LONGEST_PERIOD, this.#settings.length / 3)): void {
    if (this.#isReleased) return;
    this.#timer = setTimeout(() => {
      this.#beating = this.#beat();
    }, period);
  }

  async #beat(): Promise<void> {
    try {
      const living = await this.#beatOnce();
      if (this.#isReleased) return;
      if (living === undefined) await this.#beginAgain();
      else this.#settings.alive(living, this.#wasAway);
      this.#wait();
    } catch (thrown) {
      if (!this.#isAway && !this.#isReleased)
        this.warn(`${(thrown as Error).message}: calls are refused until it answers`);
      this.#isAway = true;
      this.#wait(RETRY_PERIOD);
    }
  }

  async #beatOnce(): Promise<string | undefined> {
    const { length } = this.#settings;
    this.#beats += 1;
    if (this.#beats % BEATS_TO_CLEANING === 0) await forgetEnded(this.#database);
    const sent = performance.now();
    const living = await beat(this.#database, { id: this.#id, length, appendTime: this.appendTime });
    if (living !== undefined) this.#extend(sent);
    return living;
  }

  /** Others may own everything by now. */
  async #beginAgain(): Promise<void> {
    this.warn('this process was paused for longer than its lease: it gives up its environments');
    this.#usableUntil = -Infinity;
    this.#id = randomUUID();
    this.#settings.dead();
    await this.#begin();
  }

  #extend(sent: number): void {
    this.#wasAway = this.refusal() !== undefined;
    this.#usableUntil = this.#isReleased ? -Infinity : sent + USABLE * this.#settings.length;
    if (this.#isAway) this.warn(`database ${this.#database.shown} answers again`);
    this.#isAway = false;
  }
}
