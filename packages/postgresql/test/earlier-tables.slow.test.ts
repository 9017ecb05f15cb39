import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_POSTGRES, Postgres, query } from '../../../test/support/postgres.ts';
import { startReplica, type Replica } from '../../../test/support/replicas.ts';

let postgres: Postgres;

beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await Postgres.start();
});

afterAll(() => postgres?.stop());

/** The tables of version 7, in which each environment had a process that owned it, with what the new ones have. */
const VERSION_7 = `
  CREATE TABLE understudy_replicas (id text PRIMARY KEY, expires_at timestamptz NOT NULL, dead boolean NOT NULL);
  CREATE TABLE understudy_secrets (name text PRIMARY KEY, value text NOT NULL);
  CREATE SEQUENCE understudy_changes;
  CREATE TABLE understudy_journal (environment text, epoch bigint, number bigint, last_call bigint, body text);
  ALTER TABLE understudy_environments RENAME TO new_environments;
  ALTER TABLE understudy_commits RENAME TO new_commits;
  DROP INDEX understudy_due, understudy_unused, understudy_kept;
  CREATE TABLE understudy_environments AS SELECT name, 7::bigint AS epoch, 'gone'::text AS owner,
    position + (SELECT count(*) FROM new_commits c WHERE c.life = e.life) AS position, position AS snapshot,
    due_at, used_at, temporary, summary, kept_at FROM new_environments e;
  CREATE INDEX understudy_due ON understudy_environments (due_at);
  CREATE INDEX understudy_unused ON understudy_environments (used_at);
  CREATE INDEX understudy_kept ON understudy_environments (kept_at);
  CREATE TABLE understudy_commits AS SELECT e.name AS environment, c.position, 7::bigint AS epoch,
    (c.body::json -> 0)::text AS body FROM new_commits c JOIN new_environments e ON e.life = c.life;
  CREATE TABLE understudy_snapshots AS SELECT e.name AS environment, e.position, s.part, s.body
    FROM understudy_states s JOIN new_environments e ON e.life = s.life AND e.snapshot = s.id;
  CREATE TABLE understudy_save_points AS SELECT e.name AS environment, s.save_point AS id, s.part, s.body
    FROM understudy_states s JOIN new_environments e ON e.life = s.life WHERE s.save_point IS NOT NULL;
  DROP TABLE new_environments, new_commits, understudy_states, understudy_claims, understudy_calls, understudy_processes;
  UPDATE understudy_schema SET version = 7`;

/** A database of an earlier version with one organization and a snapshot. */
async function earlierDatabase(): Promise<string> {
  const store = await postgres.database();
  const first = await startReplica(store);
  const api = await first.login();
  for (const display_name of ['Acme', 'Bolt'])
    await api.post('/api/v1/organizations').send({ display_name }).expect(201);
  await first.control.post('/snapshots').send({ name: 'here' }).expect(201);
  await api.post('/api/v1/organizations').send({ display_name: 'Later' }).expect(201);
  await first.close();
  await query(store, VERSION_7);
  return store;
}

const names = async ({ control }: Replica): Promise<string[]> =>
  (await control.get('/state/organizations').expect(200)).body.rows.map(
    ({ display_name }: { display_name: string }) => display_name,
  );

describe.skipIf(!HAS_POSTGRES)('a database with tables of an earlier version', () => {
  it('keeps its environments and their snapshots', async () => {
    const store = await earlierDatabase();

    const replicas = await Promise.all([startReplica(store), startReplica(store)]);

    for (const replica of replicas) expect(await names(replica)).toEqual(['Acme', 'Bolt', 'Later']);
    await replicas[1]!.control.post('/snapshots/here/restore').expect(204);
    expect(await names(replicas[0]!)).toEqual(['Acme', 'Bolt']);
    const left = await query(store, "SELECT 1 FROM pg_tables WHERE tablename LIKE 'understudy_owned%'");
    expect(left).toEqual([]);
  });

  it('is refused while processes of that version use it', async () => {
    const store = await earlierDatabase();
    await query(store, "INSERT INTO understudy_replicas VALUES ('old', now() + interval '1 hour', false)");

    await expect(startReplica(store)).rejects.toThrow(
      /processes of an earlier version of Understudy use database .*: stop them/,
    );

    await query(store, 'DELETE FROM understudy_replicas');
    expect(await names(await startReplica(store))).toEqual(['Acme', 'Bolt', 'Later']);
  });

  it('is refused if the version is older than that', async () => {
    const store = await earlierDatabase();
    await query(store, 'UPDATE understudy_schema SET version = 3');

    await expect(startReplica(store)).rejects.toThrow(
      /has tables of version 3, and this version of Understudy knows 7 and 8/,
    );
  });
});
