import { StoreError } from '@understudy/core/store/change-log';
import { sqlStateOf, type Database, type Session } from './database.ts';

/** The steps from one version of the tables to the next. A released step is never changed. */
const STEPS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE understudy_replicas (
      id text PRIMARY KEY,
      expires_at timestamptz NOT NULL,
      dead boolean NOT NULL DEFAULT false
    )`,
    `CREATE TABLE understudy_environments (
      name text COLLATE "C" PRIMARY KEY,
      epoch bigint NOT NULL,
      owner text,
      position bigint NOT NULL,
      snapshot bigint
    ) WITH (fillfactor = 70)`,
    `CREATE TABLE understudy_commits (
      environment text COLLATE "C" NOT NULL,
      position bigint NOT NULL,
      epoch bigint NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (environment, position)
    )`,
    `CREATE TABLE understudy_snapshots (
      environment text COLLATE "C" NOT NULL,
      position bigint NOT NULL,
      part integer NOT NULL,
      body bytea NOT NULL,
      PRIMARY KEY (environment, position, part)
    )`,
    'ALTER TABLE understudy_snapshots ALTER COLUMN body SET STORAGE EXTERNAL',
  ],
  [
    `ALTER TABLE understudy_replicas
      ADD COLUMN address text,
      ADD COLUMN settings text NOT NULL DEFAULT '{}',
      ADD COLUMN started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      ADD COLUMN beat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      ADD COLUMN append_ms double precision`,
    // Unused since version 4.
    'CREATE SEQUENCE understudy_changes',
    'CREATE TABLE understudy_secrets (name text PRIMARY KEY, value text NOT NULL)',
  ],
  [
    `CREATE TABLE understudy_save_points (
      environment text COLLATE "C" NOT NULL,
      id bigint NOT NULL,
      part integer NOT NULL,
      body bytea NOT NULL,
      PRIMARY KEY (environment, id, part)
    )`,
    'ALTER TABLE understudy_save_points ALTER COLUMN body SET STORAGE EXTERNAL',
  ],
  [
    // When somebody must open an environment that has no owner, when somebody used it last, and what a list shows of it.
    `ALTER TABLE understudy_environments
      ADD COLUMN due_at timestamptz NOT NULL DEFAULT '-infinity',
      ADD COLUMN used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      ADD COLUMN temporary boolean NOT NULL DEFAULT false,
      ADD COLUMN summary text`,
    'CREATE INDEX understudy_owned ON understudy_environments (owner) WHERE owner IS NOT NULL',
    'CREATE INDEX understudy_due ON understudy_environments (due_at) WHERE owner IS NULL',
    'CREATE INDEX understudy_unused ON understudy_environments (used_at) WHERE owner IS NULL AND temporary',
  ],
  [
    `CREATE TABLE understudy_journal (
      environment text COLLATE "C" NOT NULL,
      epoch bigint NOT NULL,
      number bigint NOT NULL,
      last_call bigint NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (environment, epoch, number)
    )`,
  ],
  [
    // Since when it is kept for a test.
    'ALTER TABLE understudy_environments ADD COLUMN kept_at timestamptz',
    'CREATE INDEX understudy_kept ON understudy_environments (kept_at) WHERE kept_at IS NOT NULL',
  ],
  [
    // How many environments of a name were removed.
    `CREATE TABLE understudy_dropped (
      name text COLLATE "C" PRIMARY KEY,
      times bigint NOT NULL
    )`,
  ],
  [
    // No process owns an environment any more: each appends behind what it has read, and the primary key decides.
    'DROP TABLE understudy_replicas, understudy_secrets',
    'DROP SEQUENCE understudy_changes',
    'DROP TABLE understudy_commits, understudy_snapshots, understudy_save_points, understudy_journal, understudy_environments',
    `CREATE TABLE understudy_environments (
      name text COLLATE "C" PRIMARY KEY,
      life uuid NOT NULL UNIQUE,
      snapshot uuid NOT NULL,
      position bigint NOT NULL,
      due_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '10 s',
      used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      temporary boolean NOT NULL,
      kept_at timestamptz,
      summary text
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
  ],
];

/** Any number. Another program that locks the same number in this database waits until the migration is over. */
const LOCK = 7_205_759_403;

const UNDEFINED_TABLE = '42P01';

/** Creates the tables or brings them up to date. Several processes may do so at once. */
export async function migrate(database: Database): Promise<void> {
  await refuseOtherEncodings(database);
  const found = await versionIn(database);
  refuseNewer(found, database.shown);
  if (found === STEPS.length) return;
  await database.transaction(async (session) => {
    await session.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await session.query('CREATE TABLE IF NOT EXISTS understudy_schema (version integer NOT NULL)');
    const [row] = await session.query<{ version: number }>('SELECT version FROM understudy_schema');
    if (!row) await session.query('INSERT INTO understudy_schema (version) VALUES (0)');
    for (const step of STEPS.slice(row?.version ?? 0))
      for (const statement of step) await session.query(statement);
    await session.query('UPDATE understudy_schema SET version = $1 WHERE version < $1', [STEPS.length]);
  });
  refuseNewer(await versionIn(database), database.shown);
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

function refuseNewer(found: number, shown: string): void {
  if (found <= STEPS.length) return;
  throw new StoreError(
    `database ${shown} has tables of version ${found}, and this version of Understudy knows ${STEPS.length}: ` +
      'start a newer one, or use another database',
  );
}

/** Rows may have any character. */
async function refuseOtherEncodings(database: Database): Promise<void> {
  const [row] = await database.query<{ server_encoding: string }>('SHOW server_encoding');
  if (row?.server_encoding === 'UTF8') return;
  throw new StoreError(
    `database ${database.shown} has the encoding ${row?.server_encoding}: create it with UTF8`,
  );
}
