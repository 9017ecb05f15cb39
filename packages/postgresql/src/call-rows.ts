import type { CallNews, CallTable } from '@understudy/core/store/storage';
import type { Database } from './database.ts';
import type { Processes } from './processes.ts';

const ADD = `
  INSERT INTO understudy_calls (life, number, process, body)
    SELECT e.life, c.number, $2, c.body FROM unnest($3::bigint[], $4::text[]) AS c(number, body)
      JOIN understudy_environments e ON e.life = $1 AND c.number > e.cleared
    ON CONFLICT DO NOTHING`;

const EVICT = 'DELETE FROM understudy_calls WHERE life = $1 AND number <= $2';

/** Rows that get their order in one statement may become visible a little later than rows behind them. */
const NEWS = `
  SELECT e.cleared, c.number, c.added, c.body FROM understudy_environments e
    LEFT JOIN understudy_calls c ON c.life = e.life AND c.added > $2 AND c.process <> $3 AND c.number > e.cleared
    WHERE e.life = $1 ORDER BY c.added`;

const CLEAR = `
  WITH cleared AS (
    UPDATE understudy_environments SET cleared = greatest(cleared, $2) WHERE life = $1 RETURNING life
  )
  DELETE FROM understudy_calls c USING cleared e WHERE c.life = e.life AND c.number <= $2`;

/** Rows that are read again, because one before them may have been invisible. */
const OVERLAP = 200;

/** The calls of one environment. */
export class CallRows implements CallTable {
  readonly #database: Database;
  readonly #life: string;
  readonly #processes: Processes;
  #last = 0;
  #known = new Set<string>();
  #evicted = 0;

  constructor(database: Database, life: string, processes: Processes) {
    this.#database = database;
    this.#life = life;
    this.#processes = processes;
  }

  number(after: number): number {
    return this.#processes.number(after);
  }

  async add(calls: readonly { number: number; text: string }[], evicted: number): Promise<void> {
    const values = [calls.map(({ number }) => number), calls.map(({ text }) => text)];
    await this.#database.query(ADD, [this.#life, this.#processes.id, ...values]);
    if (evicted <= this.#evicted) return;
    this.#evicted = evicted;
    await this.#database.query(EVICT, [this.#life, evicted]);
  }

  async news(): Promise<CallNews> {
    type Row = { cleared: string; number: string | null; added: string; body: string };
    const found = await this.#database.query<Row>(NEWS, [
      this.#life,
      Math.max(0, this.#last - OVERLAP),
      this.#processes.id,
    ]);
    const rows = found.filter(({ number }) => number !== null);
    const fresh = rows.filter(({ number }) => !this.#known.has(number!));
    this.#known = new Set(rows.map(({ number }) => number!));
    this.#last = Math.max(this.#last, ...rows.map(({ added }) => Number(added)));
    return { texts: fresh.map(({ body }) => body), cleared: Number(found[0]?.cleared ?? 0) };
  }

  async clear(last: number): Promise<void> {
    await this.#database.query(CLEAR, [this.#life, last]);
  }
}
