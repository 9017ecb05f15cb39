import type { Database, Session } from './database.ts';

/** What a process says of itself in the database. */
export interface Replica {
  /** Another one in each life of the process. */
  id: string;
  /** Where other processes reach it; null: nowhere. */
  address: string | null;
  /** Hashes of the settings that must be the same in all processes, by name. */
  settings: Readonly<Record<string, string>>;
}

/** Rows of processes that ended without a word are removed after this time. */
const KEPT = "interval '1 minute'";

export async function addReplica(session: Session, replica: Replica, length: number): Promise<void> {
  const { id, address, settings } = replica;
  await session.query(
    `INSERT INTO understudy_replicas (id, expires_at, address, settings)
      VALUES ($1, clock_timestamp() + $2 * interval '1 ms', $3, $4)`,
    [id, length, address, JSON.stringify(settings)],
  );
}

export async function removeReplica(session: Session, id: string): Promise<void> {
  await session.query('DELETE FROM understudy_replicas WHERE id = $1', [id]);
}

/** Removes the rows of processes that ended long ago; the environments that they owned are free without them. */
export async function forgetEnded(session: Session): Promise<void> {
  await session.query(
    `DELETE FROM understudy_replicas WHERE dead OR expires_at < clock_timestamp() - ${KEPT}`,
  );
}

export interface Heartbeat {
  id: string;
  /** Milliseconds that others wait for the next one. */
  length: number;
  /** Milliseconds that the last append took. */
  appendTime: number | undefined;
}

/**
 * Extends the life of the process. Returns the ids of the processes that live; undefined: others have declared this
 * process dead.
 */
export async function beat(
  database: Database,
  { id, length, appendTime }: Heartbeat,
): Promise<string | undefined> {
  const [alive] = await database.query<{ ids: string }>(
    `UPDATE understudy_replicas
      SET expires_at = clock_timestamp() + $2 * interval '1 ms', beat_at = clock_timestamp(), append_ms = $3
      WHERE id = $1 AND NOT dead
      RETURNING (
        SELECT string_agg(r.id, ' ' ORDER BY r.id) FROM understudy_replicas r
          WHERE NOT r.dead AND r.expires_at >= clock_timestamp()
      ) AS ids`,
    [id, length, appendTime ?? null],
  );
  return alive?.ids;
}

/** The names of the settings in which a living process, started before this one, differs from it. */
export async function differingSettings(session: Session, { id, settings }: Replica): Promise<string[]> {
  const rows = await session.query<{ settings: string }>(
    `SELECT o.settings FROM understudy_replicas o JOIN understudy_replicas own ON own.id = $1
      WHERE o.id <> $1 AND NOT o.dead AND o.expires_at >= clock_timestamp()
      AND (o.started_at, o.id) < (own.started_at, own.id)`,
    [id],
  );
  const others = rows.map((row) => JSON.parse(row.settings) as Replica['settings']);
  return Object.keys(settings).filter((name) =>
    others.some((other) => other[name] !== undefined && other[name] !== settings[name]),
  );
}
