import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import { lostTo } from './append-queue.ts';
import type { Commit, Row } from '@understudy/core/store/change-log';
import type { Snapshot } from '@understudy/core/store/snapshot';
import type { EnvironmentState, Rest, SavePointStore } from '@understudy/core/store/storage';
import type { Database } from './database.ts';
import type { Claim, Tenure } from './tenure.ts';

/** Commits that one statement reads. */
const COMMITS_AT_ONCE = 2000;

/** Reads what a claimed environment has stored. */
export async function readState(
  database: Database,
  name: string,
  { snapshot, position }: Claim,
): Promise<{ snapshot: Snapshot | undefined; commits: Commit[] }> {
  return {
    snapshot: snapshot === undefined ? undefined : await readSnapshot(database, name, snapshot),
    commits: await readCommits(database, name, { from: snapshot ?? 0, to: position }),
  };
}

async function readSnapshot(database: Database, name: string, position: number): Promise<Snapshot> {
  return { position, ...(await readParts(database, SNAPSHOTS, name, position)) };
}

async function readCommits(
  database: Database,
  name: string,
  { from, to }: { from: number; to: number },
): Promise<Commit[]> {
  const commits: Commit[] = [];
  while (from + commits.length < to) {
    const next = from + commits.length;
    const rows = await database.query<{ body: string }>(
      `SELECT body FROM understudy_commits WHERE environment = $1 AND position >= $2 AND position < $3
        ORDER BY position`,
      [name, next, next + COMMITS_AT_ONCE],
    );
    if (rows.length === 0) throw lostTo(name);
    for (const { body } of rows) commits.push(JSON.parse(body) as Commit);
  }
  return commits;
}

/** Locks the row of the environment, if this process still owns it, so that nobody takes it over meanwhile. */
const OWNED = `
  WITH owned AS (
    SELECT name FROM understudy_environments WHERE name = $1 AND owner = $2 AND epoch = $3 FOR UPDATE
  )`;

/** SQL statements for states that are stored in parts. `key` is the column with the number of a state. */
const statementsOf = (table: string, key: string) => ({
  clear: `${OWNED}
    DELETE FROM ${table} USING owned WHERE environment = name AND ${key} = $4`,
  add: `${OWNED}
    INSERT INTO ${table} (environment, ${key}, part, body) SELECT name, $4, $5, $6 FROM owned RETURNING part`,
  read: `SELECT body FROM ${table} WHERE environment = $1 AND ${key} = $2 AND part >= $3 AND part < $4 ORDER BY part`,
});

type PartStatements = ReturnType<typeof statementsOf>;

const SNAPSHOTS = statementsOf('understudy_snapshots', 'position');
const SAVE_POINTS = statementsOf('understudy_save_points', 'id');

const PUBLISH = `
  WITH published AS (
    UPDATE understudy_environments SET snapshot = $4 WHERE name = $1 AND owner = $2 AND epoch = $3
      RETURNING name
  ), folded AS (
    DELETE FROM understudy_commits USING published WHERE environment = name AND position < $4
  ), replaced AS (
    DELETE FROM understudy_snapshots USING published WHERE environment = name AND position <> $4
  )
  SELECT name FROM published`;

/** Stores the state before the commit at `position`, and removes what it replaces. */
export async function writeSnapshot(
  database: Database,
  tenure: Tenure,
  position: number,
  state: EnvironmentState,
): Promise<void> {
  const { name, owner, epoch } = tenure;
  await writeParts(database, SNAPSHOTS, tenure, position, state);
  const published = await database.query(PUBLISH, [name, owner, epoch, position]);
  if (published.length === 0) throw lostTo(name);
}

/** Removes what the environments `removed` have stored, counts that they were removed, and returns their names. */
export const REMOVE_STORED = `
  dropped AS (
    INSERT INTO understudy_dropped AS d (name, times) SELECT name, 1 FROM removed
      ON CONFLICT (name) DO UPDATE SET times = d.times + 1
  ),
  commits AS (
    DELETE FROM understudy_commits USING removed WHERE environment = name
  ), snapshots AS (
    DELETE FROM understudy_snapshots USING removed WHERE environment = name
  ), save_points AS (
    DELETE FROM understudy_save_points USING removed WHERE environment = name
  ), journal AS (
    DELETE FROM understudy_journal USING removed WHERE environment = name
  )
  SELECT name FROM removed`;

const REMOVE = `
  WITH removed AS (
    DELETE FROM understudy_environments WHERE name = $1 AND owner = $2 AND epoch = $3 RETURNING name
  ), ${REMOVE_STORED}`;

export async function removeEnvironment(database: Database, { name, owner, epoch }: Tenure): Promise<void> {
  const removed = await database.query(REMOVE, [name, owner, epoch]);
  if (removed.length === 0) throw lostTo(name);
}

const GIVE_UP = `
  UPDATE understudy_environments SET owner = NULL, temporary = $6, summary = $7,
    due_at = CASE WHEN $4::float8 IS NULL THEN 'infinity' ELSE clock_timestamp() + $4 * interval '1 ms' END,
    used_at = clock_timestamp() - $5 * interval '1 ms'
    WHERE name = $1 AND owner = $2 AND epoch = $3`;

/** Others may claim the environment at once. Without `rest`, one of them does. */
export async function giveUp(
  database: Database,
  { name, owner, epoch }: Tenure,
  rest: Rest | undefined,
): Promise<void> {
  if (!rest)
    return void (await database.query(
      'UPDATE understudy_environments SET owner = NULL WHERE name = $1 AND owner = $2 AND epoch = $3',
      [name, owner, epoch],
    ));
  const { dueIn, idle, isTemporary, summary } = rest;
  const due = dueIn === Infinity ? null : dueIn;
  await database.query(GIVE_UP, [name, owner, epoch, due, idle, isTemporary, JSON.stringify(summary)]);
}

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

/** Stores a state in several rows. */
async function writeParts(
  database: Database,
  statements: PartStatements,
  { name, owner, epoch }: Tenure,
  key: number,
  state: EnvironmentState,
): Promise<void> {
  const place = [name, owner, epoch, key];
  // An earlier process may have ended while it wrote the same one, or before it listed it.
  await database.query(statements.clear, place);
  let part = 0;
  for (const content of partsOf(state)) {
    const body = await pack(JSON.stringify(content), { level: constants.Z_BEST_SPEED });
    const added = await database.query(statements.add, [...place, part, body]);
    if (added.length === 0) throw lostTo(name);
    part += 1;
  }
}

async function readParts(
  database: Database,
  { read }: PartStatements,
  name: string,
  key: number,
): Promise<EnvironmentState> {
  const collections: Record<string, Row[]> = {};
  let marks: unknown;
  for (let part = 0, isLast = false; !isLast; part += PARTS_AT_ONCE) {
    const found = await database.query<{ body: Buffer }>(read, [name, key, part, part + PARTS_AT_ONCE]);
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

  write(id: number, state: EnvironmentState): Promise<void> {
    return writeParts(this.#database, SAVE_POINTS, this.#tenure, id, state);
  }

  async read(id: number): Promise<EnvironmentState> {
    const { name } = this.#tenure;
    const state = await readParts(this.#database, SAVE_POINTS, name, id);
    if (state.marks === undefined) throw lostTo(name);
    return state;
  }

  async keepOnly(ids: readonly number[]): Promise<void> {
    const { name, owner, epoch } = this.#tenure;
    await this.#database.query(KEEP_ONLY, [name, owner, epoch, ids]);
  }
}
