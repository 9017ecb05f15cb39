import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import { lostTo } from './append-queue.ts';
import type { Commit, Row } from '../../store/change-log.ts';
import type { Snapshot } from '../../store/snapshot.ts';
import type { EnvironmentState, Rest, SavePointStore } from '../../store/storage.ts';
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

const SNAPSHOT_PARTS = `
  SELECT body FROM understudy_snapshots WHERE environment = $1 AND position = $2 AND part >= $3 AND part < $4
    ORDER BY part`;

async function readSnapshot(database: Database, name: string, position: number): Promise<Snapshot> {
  return { position, ...(await readParts(database, SNAPSHOT_PARTS, [name, position])) };
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

const CLEAR = `${OWNED}
  DELETE FROM understudy_snapshots USING owned WHERE environment = name AND position = $4`;

const ADD_PART = `${OWNED}
  INSERT INTO understudy_snapshots (environment, position, part, body)
    SELECT name, $4, $5, $6 FROM owned RETURNING part`;

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
  { name, owner, epoch }: Tenure,
  position: number,
  state: EnvironmentState,
): Promise<void> {
  // An earlier process may have ended while it wrote the same one.
  await database.query(CLEAR, [name, owner, epoch, position]);
  const key = [name, owner, epoch, position];
  if (!(await writeParts(database, ADD_PART, key, state))) throw lostTo(name);
  const published = await database.query(PUBLISH, [name, owner, epoch, position]);
  if (published.length === 0) throw lostTo(name);
}

const REMOVE = `
  WITH removed AS (
    DELETE FROM understudy_environments WHERE name = $1 AND owner = $2 AND epoch = $3 RETURNING name
  ), commits AS (
    DELETE FROM understudy_commits USING removed WHERE environment = name
  ), snapshots AS (
    DELETE FROM understudy_snapshots USING removed WHERE environment = name
  ), save_points AS (
    DELETE FROM understudy_save_points USING removed WHERE environment = name
  ), journal AS (
    DELETE FROM understudy_journal USING removed WHERE environment = name
  )
  SELECT name FROM removed`;

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

/**
 * Stores a state in several rows. `insert`: gets the key, the number of the part and its body, and returns no row if the
 * environment is lost; then this returns false.
 */
async function writeParts(
  database: Database,
  insert: string,
  key: readonly (string | number)[],
  state: EnvironmentState,
): Promise<boolean> {
  let part = 0;
  for (const content of partsOf(state)) {
    const body = await pack(JSON.stringify(content), { level: constants.Z_BEST_SPEED });
    const added = await database.query(insert, [...key, part, body]);
    if (added.length === 0) return false;
    part += 1;
  }
  return true;
}

/** `select`: gets the key, and the numbers of the first part and of the one after the last. */
async function readParts(
  database: Database,
  select: string,
  key: readonly (string | number)[],
): Promise<EnvironmentState> {
  const collections: Record<string, Row[]> = {};
  let marks: unknown;
  for (let part = 0, isLast = false; !isLast; part += PARTS_AT_ONCE) {
    const found = await database.query<{ body: Buffer }>(select, [...key, part, part + PARTS_AT_ONCE]);
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

const CLEAR_SAVE_POINT = `${OWNED}
  DELETE FROM understudy_save_points USING owned WHERE environment = name AND id = $4`;

const ADD_SAVE_POINT_PART = `${OWNED}
  INSERT INTO understudy_save_points (environment, id, part, body)
    SELECT name, $4, $5, $6 FROM owned RETURNING part`;

const SAVE_POINT_PARTS = `
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
    await this.#database.query(CLEAR_SAVE_POINT, key);
    if (!(await writeParts(this.#database, ADD_SAVE_POINT_PART, key, state))) throw lostTo(name);
  }

  async read(id: number): Promise<EnvironmentState> {
    const { name } = this.#tenure;
    const state = await readParts(this.#database, SAVE_POINT_PARTS, [name, id]);
    if (state.marks === undefined) throw lostTo(name);
    return state;
  }

  async keepOnly(ids: readonly number[]): Promise<void> {
    const { name, owner, epoch } = this.#tenure;
    await this.#database.query(KEEP_ONLY, [name, owner, epoch, ids]);
  }
}
