import { randomUUID } from 'node:crypto';
import { StoreUnavailable } from '../change-log.ts';
import type { Database } from './database.ts';

/** The longest time between two heartbeats, in milliseconds. */
const LONGEST_PERIOD = 1000;
/** The part of the lease after which this process stops answering, because clocks do not run equally fast. */
const USABLE = 0.9;

interface LeaseSettings {
  database: Database;
  /** Milliseconds that others wait after the last heartbeat. */
  length: number;
  warn: (line: string) => void;
}

/** Called after each heartbeat that succeeded, and when others have declared this process dead. */
export interface LeaseListener {
  /** `wasAway`: `refusal` was set. */
  alive(wasAway: boolean): void;
  dead(): void;
}

/**
 * The life of this process in the database: a row that a heartbeat extends. Its time is the database's clock; this
 * process counts from the moment before it sent the heartbeat.
 */
export class Lease {
  readonly #settings: LeaseSettings;
  readonly #listener: LeaseListener;
  #id = randomUUID();
  /** In milliseconds of `performance.now()`. */
  #usableUntil = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isAway = false;
  #isReleased = false;

  static async take(settings: LeaseSettings, listener: LeaseListener): Promise<Lease> {
    const lease = new Lease(settings, listener);
    await lease.#begin();
    return lease;
  }

  private constructor(settings: LeaseSettings, listener: LeaseListener) {
    this.#settings = settings;
    this.#listener = listener;
  }

  /** Another one in each life. */
  get id(): string {
    return this.#id;
  }

  /** Why this process may not answer for what it owns. */
  refusal(): StoreUnavailable | undefined {
    if (performance.now() < this.#usableUntil) return undefined;
    const { shown } = this.#settings.database;
    return new StoreUnavailable(`database ${shown} cannot be reached: try again`);
  }

  /** From now on the environments of this process are free. */
  async release(): Promise<void> {
    this.#isReleased = true;
    clearTimeout(this.#timer);
    this.#usableUntil = -Infinity;
    await this.#settings.database
      .query('DELETE FROM understudy_replicas WHERE id = $1', [this.#id])
      .catch(() => {}); // it ends by itself
  }

  async #begin(): Promise<void> {
    const { database, length } = this.#settings;
    await database.query('DELETE FROM understudy_replicas WHERE dead');
    const sent = performance.now();
    await database.query(
      `INSERT INTO understudy_replicas (id, expires_at) VALUES ($1, clock_timestamp() + $2 * interval '1 ms')`,
      [this.#id, length],
    );
    this.#extend(sent);
    this.#wait();
  }

  #wait(): void {
    if (this.#isReleased) return;
    const period = Math.min(LONGEST_PERIOD, this.#settings.length / 3);
    this.#timer = setTimeout(() => void this.#beat(), period);
  }

  async #beat(): Promise<void> {
    const { database, length, warn } = this.#settings;
    try {
      const sent = performance.now();
      const alive = await database.query(
        `UPDATE understudy_replicas SET expires_at = clock_timestamp() + $2 * interval '1 ms'
          WHERE id = $1 AND NOT dead RETURNING id`,
        [this.#id, length],
      );
      if (alive.length === 0) return await this.#beginAgain();
      const wasAway = this.refusal() !== undefined;
      this.#extend(sent);
      this.#listener.alive(wasAway);
      this.#wait();
    } catch (thrown) {
      if (!this.#isAway && !this.#isReleased)
        warn(`${(thrown as Error).message}: calls are refused until it answers`);
      this.#isAway = true;
      this.#wait();
    }
  }

  /** Others may own everything by now. */
  async #beginAgain(): Promise<void> {
    this.#settings.warn('this process was away for longer than its lease: it gives up its environments');
    this.#usableUntil = -Infinity;
    this.#id = randomUUID();
    this.#listener.dead();
    await this.#begin();
  }

  #extend(sent: number): void {
    this.#usableUntil = this.#isReleased ? -Infinity : sent + USABLE * this.#settings.length;
    if (this.#isAway) this.#settings.warn(`database ${this.#settings.database.shown} answers again`);
    this.#isAway = false;
  }
}
