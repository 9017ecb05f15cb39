import type { EnvironmentState, SavePointStore } from '../../store/storage.ts';
import { lostTo } from './append-queue.ts';
import type { Database } from './database.ts';
import { readParts, writeParts } from './parts.ts';
import { OWNED } from './stored-state.ts';
import type { Tenure } from './tenure.ts';

const CLEAR = `${OWNED}
  DELETE FROM understudy_save_points USING owned WHERE environment = name AND id = $4`;

const ADD_PART = `${OWNED}
  INSERT INTO understudy_save_points (environment, id, part, body)
    SELECT name, $4, $5, $6 FROM owned RETURNING part`;

const PARTS = `
  SELECT body FROM understudy_save_points WHERE environment = $1 AND id = $2 AND part >= $3 AND part < $4
    ORDER BY part`;

const KEEP_ONLY = `${OWNED}
  DELETE FROM understudy_save_points USING owned WHERE environment = name AND id <> ALL ($4::bigint[])`;

/** Save points of one environment. Only its owner writes them. */
export class SavePointRows implements SavePointStore {
  readonly #database: Database;
  readonly #tenure: Tenure;

  constructor(database: Database, tenure: Tenure) {
    this.#database = database;
    this.#tenure = tenure;
  }

  async write(id: number, state: EnvironmentState): Promise<void> {
    const { name, owner, epoch } = this.#tenure;
    const key = [name, owner, epoch, id];
    // An earlier process may have ended before it listed the one that it had written.
    await this.#database.query(CLEAR, key);
    if (!(await writeParts(this.#database, ADD_PART, key, state))) throw lostTo(name);
  }

  async read(id: number): Promise<EnvironmentState> {
    const { name } = this.#tenure;
    const state = await readParts(this.#database, PARTS, [name, id]);
    if (state.marks === undefined) throw lostTo(name);
    return state;
  }

  async keepOnly(ids: readonly number[]): Promise<void> {
    const { name, owner, epoch } = this.#tenure;
    await this.#database.query(KEEP_ONLY, [name, owner, epoch, ids]);
  }
}
