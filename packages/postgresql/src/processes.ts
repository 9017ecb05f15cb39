import { randomInt, randomUUID } from 'node:crypto';
import { StoreError } from '@understudy/core/store/change-log';
import type { Database } from './database.ts';

/** A process that has not been seen for this time has ended. */
const GONE = "interval '15 s'";

/** Numbers of one millisecond. */
const SLOTS = 4096;
const EPOCH = Date.UTC(2026, 0, 1);

/** The processes that use the database now must have the same settings. */
export class Processes {
  readonly id = randomUUID();
  /** Nearly always another one than that of other processes. */
  readonly slot = randomInt(SLOTS);
  /** What the database's clock is ahead of `performance.now()`, in milliseconds. */
  #ahead = 0;

  /** Throws StoreError if one that runs has other settings. */
  static async join(database: Database, settings: Readonly<Record<string, string>>): Promise<Processes> {
    const processes = new Processes();
    const rows = await database.query<{ settings: string }>(
      `SELECT settings FROM understudy_processes WHERE seen_at > clock_timestamp() - ${GONE}`,
    );
    const others = rows.map((row) => JSON.parse(row.settings) as typeof settings);
    const names = Object.keys(settings).filter((name) =>
      others.some((other) => other[name] !== settings[name]),
    );
    if (names.length > 0)
      throw new StoreError(
        `other processes that use database ${database.shown} were started with another ${names.join(', another ')}: ` +
          'start all of them with the same one, or stop them first',
      );
    await database.query('INSERT INTO understudy_processes (id, settings) VALUES ($1, $2)', [
      processes.id,
      JSON.stringify(settings),
    ]);
    await processes.note(database);
    return processes;
  }

  /** This process runs. */
  async note(database: Database): Promise<void> {
    const [row] = await database.query<{ now: number }>(
      `UPDATE understudy_processes SET seen_at = clock_timestamp() WHERE id = $1
        RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`,
      [this.id],
    );
    if (row) this.#ahead = row.now - performance.now();
    await database.query(`DELETE FROM understudy_processes WHERE seen_at < clock_timestamp() - ${GONE}`);
  }

  /** A number that no other process gives, by the clock of the database. */
  number(after: number): number {
    const time = Math.floor(performance.now() + this.#ahead - EPOCH);
    return Math.max(time, Math.floor(after / SLOTS) + 1) * SLOTS + this.slot;
  }

  async leave(database: Database): Promise<void> {
    await database.query('DELETE FROM understudy_processes WHERE id = $1', [this.id]).catch(() => {});
  }
}
