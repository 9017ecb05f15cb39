import { StoreError } from '@understudy/core/store/change-log';
import { sqlStateOf, type Database, type Session } from './database.ts';

/** The version of the tables. A released version is never changed. */
const VERSION = 8;

const TABLES: readonly string[] = [
  `CREATE TABLE understudy_environments (
    name text COLLATE "C" PRIMARY KEY,
    life uuid NOT NULL UNIQUE,
    snapshot uuid NOT NULL,
    position bigint NOT NULL,
    due_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '10 s',
    used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    temporary boolean NOT NULL,
    kept_at timestamptz,
    summary text,
    cleared bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 70)`,
  'CREATE INDEX understudy_due ON understudy_environments (due_at)',
  'CREATE INDEX understudy_unused ON understudy_environments (used_at) WHERE temporary',
  'CREATE INDEX understudy_kept ON understudy_environments (kept_at) WHERE kept_at IS NOT NULL',
  `CREATE TABLE understudy_commits (
    life uuid NOT NULL,
    position bigint NOT NULL,
    batch uuid NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (life, position)
  )`,
  `CREATE TABLE understudy_states (
    life uuid NOT NULL,
    id uuid NOT NULL,
    part integer NOT NULL,
    body bytea NOT NULL,
    save_point bigint,
    written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (life, id, part)
  )`,
  'ALTER TABLE understudy_states ALTER COLUMN body SET STORAGE EXTERNAL',
  `CREATE TABLE understudy_claims (
    life uuid NOT NULL,
    call text NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (life, call)
  )`,
  `CREATE TABLE understudy_calls (
    life uuid NOT NULL,
    number bigint NOT NULL,
    process uuid NOT NULL,
    added bigserial NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (life, number)
  )`,
  'CREATE INDEX understudy_added ON understudy_calls (life, added)',
  `CREATE TABLE understudy_processes (
    id uuid PRIMARY KEY,
    settings text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
  )`,
  // How many environments of a name were removed.
  `CREATE TABLE IF NOT EXISTS understudy_dropped (name text COLLATE "C" PRIMARY KEY, times bigint NOT NULL)`,
];

/** The version in which each environment had a process that owned it. */
const OWNED = 7;

/** A uuid of what each row has alone. Older servers make none by themselves. */
const uuidOf = (text: string) => `md5(${text} || random()::text)::uuid`;

/** Moves environments, commits, snapshots and save points from version 7. Its journals are left behind. */
const MOVED: readonly string[] = [
  'DROP INDEX understudy_due, understudy_unused, understudy_kept',
  ...['environments', 'commits', 'snapshots', 'save_points'].map(
    (table) => `ALTER TABLE understudy_${table} RENAME TO understudy_owned_${table}`,
  ),
  ...TABLES,
  `INSERT INTO understudy_environments
    (name, life, snapshot, position, due_at, used_at, temporary, kept_at, summary)
    SELECT name, ${uuidOf('name')}, ${uuidOf('name')}, snapshot, CASE WHEN owner IS NULL THEN due_at ELSE now() END,
      used_at, temporary, kept_at, summary FROM understudy_owned_environments WHERE snapshot IS NOT NULL`,
  `INSERT INTO understudy_commits (life, position, batch, body)
    SELECT e.life, c.position, ${uuidOf('c.position')}, '[' || c.body || ']'
      FROM understudy_owned_commits c JOIN understudy_environments e ON e.name = c.environment AND c.position >= e.position`,
  `INSERT INTO understudy_states (life, id, part, body)
    SELECT e.life, e.snapshot, s.part, s.body FROM understudy_owned_snapshots s
      JOIN understudy_environments e ON e.name = s.environment AND e.position = s.position`,
  `INSERT INTO understudy_states (life, id, part, body, save_point)
    SELECT e.life, md5(e.life || '/' || s.id)::uuid, s.part, s.body, s.id
      FROM understudy_owned_save_points s JOIN understudy_environments e ON e.name = s.environment`,
  `DROP TABLE understudy_owned_environments, understudy_owned_commits, understudy_owned_snapshots,
    understudy_owned_save_points, understudy_journal, understudy_replicas, understudy_secrets`,
  'DROP SEQUENCE understudy_changes',
];

/** Any number. Another program that locks the same number in this database waits until the tables are there. */
const LOCK = 7_205_759_403;

const UNDEFINED_TABLE = '42P01';

/** Creates the tables or brings them up to date. Several processes may do so at once. */
export async function migrate(database: Database): Promise<void> {
  await refuseOtherEncodings(database);
  const found = await versionIn(database);
  if (found !== VERSION)
    await database.transaction(async (session) => {
      await session.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      await session.query('CREATE TABLE IF NOT EXISTS understudy_schema (version integer NOT NULL)');
      const [row] = await session.query<{ version: number }>('SELECT version FROM understudy_schema');
      if (!row) await session.query('INSERT INTO understudy_schema (version) VALUES (0)');
      for (const statement of await stepsFrom(row?.version ?? 0, session, database.shown))
        await session.query(statement);
      await session.query('UPDATE understudy_schema SET version = $1', [VERSION]);
    });
}

/** Throws StoreError if the tables cannot be brought up to date. */
async function stepsFrom(found: number, session: Session, shown: string): Promise<readonly string[]> {
  if (found === VERSION) return []; // another process was faster
  if (found === 0) return TABLES;
  if (found !== OWNED)
    throw new StoreError(
      `database ${shown} has tables of version ${found}, and this version of Understudy knows ${OWNED} and ${VERSION}: ` +
        `start a ${found > VERSION ? 'newer' : 'suitable'} one, or use another database`,
    );
  const [alive] = await session.query(
    'SELECT id FROM understudy_replicas WHERE NOT dead AND expires_at > clock_timestamp() LIMIT 1',
  );
  if (alive)
    throw new StoreError(
      `processes of an earlier version of Understudy use database ${shown}: stop them, wait for the time of their --lease, and start again`,
    );
  return MOVED;
}

async function versionIn(session: Session): Promise<number> {
  try {
    const [row] = await session.query<{ version: number }>('SELECT version FROM understudy_schema');
    return row?.version ?? 0;
  } catch (thrown) {
    if (sqlStateOf(thrown) === UNDEFINED_TABLE) return 0;
    throw thrown;
  }
}

/** Rows may have any character. */
async function refuseOtherEncodings(database: Database): Promise<void> {
  const [row] = await database.query<{ server_encoding: string }>('SHOW server_encoding');
  if (row?.server_encoding === 'UTF8') return;
  throw new StoreError(
    `database ${database.shown} has the encoding ${row?.server_encoding}: create it with UTF8`,
  );
}
