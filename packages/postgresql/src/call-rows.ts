import type { CallTable } from '@understudy/core/store/storage';
import type { Database } from './database.ts';
import type { Processes } from './processes.ts';

const ADD = `
  INSERT INTO understudy_calls (life, number, process, body)
    SELECT $1, c.number, $2, c.body FROM unnest($3::bigint[], $4::text[]) AS c(number, body)
    ON CONFLICT DO NOTHING`;

/** Rows that get their order in one statement may become visible a little later than rows behind them. */
const NEWS = `
  SELECT number, added, body FROM understudy_calls
    WHERE life = $1 AND added > $2 AND process <> $3 ORDER BY added`;

/** Rows that are read again, because one before them may have been invisible. */
const OVERLAP = 200;

/** The calls of one environment. */
export class CallRows implements CallTable {
  readonly #database: Database;
  readonly #life: string;
  readonly #processes: Processes;
  #last = 0;
  #known = new Set<string>();

  constructor(database: Database, life: string, processes: Processes) {
    this.#database = database;
    this.#life = life;
    this.#processes = processes;
  }

  number(after: number): number {
    return this.#processes.number(after);
  }

  async add(calls: readonly { number: number; text: string }[]): Promise<void> {
    const values = [calls.map(({ number }) => number), calls.map(({ text }) => text)];
    await this.#database.query(ADD, [this.#life, this.#processes.id, ...values]);
  }

  async news(): Promise<readonly string[]> {
    type Row = { number: string; added: string; body: string };
    const rows = await this.#database.query<Row>(NEWS, [
      this.#life,
      Math.max(0, this.#last - OVERLAP),
      this.#processes.id,
    ]);
    const fresh = rows.filter(({ number }) => !this.#known.has(number));
    this.#known = new Set(rows.map(({ number }) => number));
    this.#last = Math.max(this.#last, ...rows.map(({ added }) => Number(added)));
    return fresh.map(({ body }) => body);
  }

  async clear(): Promise<void> {
    await this.#database.query('DELETE FROM understudy_calls WHERE life = $1', [this.#life]);
  }
}
