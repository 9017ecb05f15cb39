import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import { type Commit, type Row, StoreUnavailable } from '@understudy/core/store/change-log';
import type { Snapshot } from '@understudy/core/store/snapshot';
import type { EnvironmentState, Rest, SavePointStore } from '@understudy/core/store/storage';
import type { Database } from './database.ts';

/** What is stored of one environment. */
export interface StoredEnvironment {
  name: string;
  life: string;
  /** Nothing is stored yet. */
  isNew: boolean;
  snapshot: Snapshot | undefined;
  commits: Commit[];
  /** Of the next batch. */
  position: number;
  idle: number;
  summary: unknown;
}

interface EnvironmentRow {
  life: string;
  snapshot: string;
  position: string;
  idle: number;
  summary: string | null;
}

const FIND = `
  SELECT life, snapshot, position, summary, (extract(epoch FROM clock_timestamp() - used_at) * 1000)::float8 AS idle
    FROM understudy_environments WHERE name = $1`;

const BATCHES =
  'SELECT position, body FROM understudy_commits WHERE life = $1 AND position >= $2 ORDER BY position';

/** Undefined if nothing is stored under the name. */
export async function find(database: Database, name: string): Promise<StoredEnvironment | undefined> {
  const [row] = await database.query<EnvironmentRow>(FIND, [name]);
  if (!row) return undefined;
  const { life, idle, summary } = row;
  const first = Number(row.position);
  const state = await readParts(database, life, row.snapshot);
  const batches = await database.query<{ position: string; body: string }>(BATCHES, [life, first]);
  // Another process has folded the log meanwhile.
  const isWhole =
    state.marks !== undefined && batches.every(({ position }, index) => Number(position) === first + index);
  if (!isWhole) return find(database, name);
  const commits = batches.flatMap(({ body }) => JSON.parse(body) as Commit[]);
  const snapshot = { position: first, ...state };
  const position = first + batches.length;
  return {
    name,
    life,
    isNew: false,
    snapshot,
    commits,
    position,
    idle,
    summary: summary && (JSON.parse(summary) as unknown),
  };
}

export const newEnvironment = (name: string): StoredEnvironment => ({
  name,
  life: randomUUID(),
  isNew: true,
  snapshot: undefined,
  commits: [],
  position: 0,
  idle: 0,
  summary: undefined,
});

const CREATE = `
  INSERT INTO understudy_environments (name, life, snapshot, position, temporary, summary)
    VALUES ($1, $2, $3, 0, $4, $5)
    ON CONFLICT (name) DO NOTHING RETURNING life`;

type Life = Pick<StoredEnvironment, 'name' | 'life'>;

/** Returns false if another process was faster. */
export async function create(
  database: Database,
  { name, life }: Life,
  { state, rest }: { state: EnvironmentState; rest: Rest },
): Promise<boolean> {
  const snapshot = randomUUID();
  await writeParts(database, life, snapshot, state);
  const created = await database.query(CREATE, [
    name,
    life,
    snapshot,
    rest.isTemporary,
    JSON.stringify(rest.summary),
  ]);
  if (created.length === 0) await database.query('DELETE FROM understudy_states WHERE life = $1', [life]);
  return created.length > 0;
}

/** Batches that stay behind a snapshot, for processes that have not read them. */
const KEPT_BATCHES = 1000;

const PUBLISH = `
  WITH published AS (
    UPDATE understudy_environments SET snapshot = $2, position = $3 WHERE life = $1 AND position < $3 RETURNING life
  )
  DELETE FROM understudy_commits c USING published p WHERE c.life = p.life AND c.position < $4`;

const REPLACED = `
  DELETE FROM understudy_states s USING understudy_environments e
    WHERE s.life = $1 AND e.life = s.life AND s.id <> e.snapshot AND s.save_point IS NULL`;

/** Stores the state before the batch at `position`, and removes what it replaces. */
export async function publish(
  database: Database,
  { life }: Life,
  { position, state }: { position: number; state: EnvironmentState },
): Promise<void> {
  const snapshot = randomUUID();
  await writeParts(database, life, snapshot, state);
  await database.query(PUBLISH, [life, snapshot, position, position - KEPT_BATCHES]);
  await database.query(REPLACED, [life]);
}

/** Removes what the environments `removed` have stored, counts that they were removed, and returns their names. */
export const REMOVE_STORED = `
  dropped AS (
    INSERT INTO understudy_dropped AS d (name, times) SELECT name, 1 FROM removed
      ON CONFLICT (name) DO UPDATE SET times = d.times + 1
  ),
  commits AS (DELETE FROM understudy_commits c USING removed r WHERE c.life = r.life),
  states AS (DELETE FROM understudy_states s USING removed r WHERE s.life = r.life),
  claims AS (DELETE FROM understudy_claims c USING removed r WHERE c.life = r.life),
  journal AS (DELETE FROM understudy_calls j USING removed r WHERE j.life = r.life)
  SELECT name FROM removed`;

const REMOVE = `
  WITH removed AS (DELETE FROM understudy_environments WHERE life = $1 RETURNING name, life), ${REMOVE_STORED}`;

/** Returns false if another process has removed it. */
export async function remove(database: Database, life: string): Promise<boolean> {
  return (await database.query(REMOVE, [life])).length > 0;
}

/** Another process opens the environment this many seconds later, unless one that has it says that it is in use. */
const GRACE = 10;

const REST = `
  UPDATE understudy_environments e SET
    due_at = CASE WHEN w.due < 0 THEN 'infinity' ELSE clock_timestamp() + (w.due / 1000 + $6) * interval '1 s' END,
    used_at = greatest(e.used_at, clock_timestamp() - w.idle * interval '1 ms'),
    temporary = w.temporary, summary = w.summary
    FROM unnest($1::uuid[], $2::float8[], $3::float8[], $4::boolean[], $5::text[])
      AS w(life, due, idle, temporary, summary) WHERE e.life = w.life`;

interface Resting {
  life: string;
  rest: Rest;
}

/** Says what others must know while no process has these environments in memory. */
export async function putToRest(database: Database, all: readonly Resting[], grace = 0): Promise<void> {
  await database.query(REST, [
    all.map(({ life }) => life),
    all.map(({ rest: { dueIn } }) => (dueIn === Infinity ? -1 : dueIn)),
    all.map(({ rest: { idle } }) => idle),
    all.map(({ rest: { isTemporary } }) => String(isTemporary)),
    all.map(({ rest: { summary } }) => JSON.stringify(summary)),
    grace,
  ]);
}

/** Like `putToRest` for environments that are in memory. */
export const noteUse = (database: Database, all: readonly Resting[]) => putToRest(database, all, GRACE);

const pack = promisify(gzip);
const unpack = promisify(gunzip);

const PART_ROWS = 2000;
/** Parts that one statement reads. */
const PARTS_AT_ONCE = 8;

/** Consecutive rows. A collection may go on in the next part; part 0 also has the marks. */
interface StatePart {
  marks?: unknown;
  collections: Record<string, Row[]>;
}

const ADD = 'INSERT INTO understudy_states (life, id, part, body, save_point) VALUES ($1, $2, $3, $4, $5)';
const READ = `
  SELECT body FROM understudy_states WHERE life = $1 AND id = $2 AND part >= $3 AND part < $4 ORDER BY part`;

/** Stores a state in several rows. */
async function writeParts(
  database: Database,
  life: string,
  id: string,
  state: EnvironmentState,
  savePoint: number | null = null,
): Promise<void> {
  let part = 0;
  for (const content of partsOf(state)) {
    const body = await pack(JSON.stringify(content), { level: constants.Z_BEST_SPEED });
    await database.query(ADD, [life, id, part, body, savePoint]);
    part += 1;
  }
}

async function readParts(database: Database, life: string, id: string): Promise<EnvironmentState> {
  const collections: Record<string, Row[]> = {};
  let marks: unknown;
  for (let part = 0, isLast = false; !isLast; part += PARTS_AT_ONCE) {
    const found = await database.query<{ body: Buffer }>(READ, [life, id, part, part + PARTS_AT_ONCE]);
    for (const { body } of found) {
      const content = JSON.parse(String(await unpack(body))) as StatePart;
      marks ??= content.marks;
      for (const [collection, rows] of Object.entries(content.collections)) {
        const all = (collections[collection] ??= []);
        for (const row of rows) all.push(row);
      }
    }
    isLast = found.length < PARTS_AT_ONCE;
  }
  return { marks, collections };
}

function* partsOf({ marks, collections }: EnvironmentState): Generator<StatePart> {
  let part: StatePart = { marks, collections: {} };
  let room = PART_ROWS;
  for (const [collection, rows] of Object.entries(collections))
    for (let index = 0; index === 0 || index < rows.length;) {
      const taken = rows.slice(index, index + room);
      part.collections[collection] = taken;
      index += Math.max(1, taken.length);
      room -= taken.length;
      if (room > 0) continue;
      yield part;
      [part, room] = [{ collections: {} }, PART_ROWS];
    }
  yield part;
}

const KEEP_ONLY = `
  DELETE FROM understudy_states
    WHERE life = $1 AND save_point IS NOT NULL AND save_point <> ALL ($2::bigint[])
      AND written_at < clock_timestamp() - interval '1 minute'`;

const LATEST = `
  SELECT id FROM understudy_states WHERE life = $1 AND save_point = $2 AND part = 0 ORDER BY written_at DESC LIMIT 1`;

/** Save points of one environment. */
export class SavePointRows implements SavePointStore {
  readonly #database: Database;
  readonly #life: string;

  constructor(database: Database, life: string) {
    this.#database = database;
    this.#life = life;
  }

  write(id: number, state: EnvironmentState): Promise<void> {
    return writeParts(this.#database, this.#life, randomUUID(), state, id);
  }

  async read(id: number): Promise<EnvironmentState> {
    const [found] = await this.#database.query<{ id: string }>(LATEST, [this.#life, id]);
    if (!found) throw new StoreUnavailable('the snapshot was removed: try again');
    return readParts(this.#database, this.#life, found.id);
  }

  async keepOnly(ids: readonly number[]): Promise<void> {
    await this.#database.query(KEEP_ONLY, [this.#life, ids]);
  }
}
