import type {
  DatabaseSettings,
  Store,
  RestingEnvironment,
  RestingEnvironments,
} from '@understudy/core/store/storage';
import { createStore } from '@understudy/core/store/store';
import { Database } from './database.ts';
import { JournalQueue } from './journal-queue.ts';
import { heartbeatTimeout, Lease } from './lease.ts';
import { Ownership } from './ownership.ts';
import { peersIn } from './peers.ts';
import { migrate } from './schema.ts';
import { REMOVE_STORED } from './stored-state.ts';

/** Connections for everything but heartbeats. */
const CONNECTIONS = 4;

/** Milliseconds that a statement may take at the start: no call waits for it, and a busy database may be slow. */
const TIME_TO_START = 20_000;

/** Opens the database, creates or migrates its tables, and is one of those that share it until closed. */
export async function openDatabase(url: string, settings: DatabaseSettings): Promise<Store> {
  const { warn, lease: length, shared, keepsJournal } = settings;
  const database = await Database.open(url, { timeout: Math.max(length, 2000), connections: CONNECTIONS });
  const beating = await Database.open(url, { timeout: heartbeatTimeout(length), connections: 1 });
  const starting = await Database.open(url, { timeout: TIME_TO_START, connections: 1 });
  const close = () => Promise.all([database.close(), beating.close()]);
  try {
    await migrate(starting);
    const owner = new Ownership(database, keepsJournal ? new JournalQueue(database, warn) : undefined);
    const lease = await Lease.take(starting, {
      database: beating,
      length,
      warn,
      settings: shared,
      address: settings.address ?? null,
      alive: (living, wasAway) => owner.alive(living, wasAway),
      dead: () => owner.dead(),
    });
    owner.begin(lease);
    return createStore({
      envs: async () => [], // `watch` tells which are to be opened, and a call wakes any other
      load: (name, onClose, wanted) => owner.open(name, onClose, wanted),
      generation: (name) => timesDropped(database, name),
      watch: (listener) => owner.watch(listener),
      refusal: () => lease.refusal(),
      peers: await peersIn(database, lease, () => owner.unstored()),
      resting: restingIn(database),
      release: async () => {
        await lease.release();
        await close();
      },
    });
  } catch (thrown) {
    await close();
    throw thrown;
  } finally {
    await starting.close();
  }
}

async function timesDropped(database: Database, name: string): Promise<number> {
  const [row] = await database.query<{ times: string }>(
    'SELECT times FROM understudy_dropped WHERE name = $1',
    [name],
  );
  return Number(row?.times ?? 0);
}

const listOf = (isWanted: string) => `
  SELECT name, summary, (extract(epoch FROM clock_timestamp() - used_at) * 1000)::float8 AS idle
    FROM understudy_environments WHERE owner IS NULL AND ${isWanted} AND name > $1 ORDER BY name LIMIT $2`;

const LIST = listOf('summary IS NOT NULL');
const LIST_KEPT = listOf('summary IS NOT NULL AND kept_at IS NOT NULL');

/** What somebody claims at the same time is left out. */
const DROP_UNUSED = `
  WITH unused AS (
    SELECT name FROM understudy_environments
      WHERE owner IS NULL AND temporary AND used_at < now() - $1 * interval '1 ms'
      ORDER BY used_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  ), removed AS (
    DELETE FROM understudy_environments e USING unused u WHERE e.name = u.name RETURNING e.name
  ), ${REMOVE_STORED}`;

/** The environments that nobody owns, because they were put to rest. */
const restingIn = (database: Database): RestingEnvironments => ({
  async list({ after, limit, isKept = false }): Promise<RestingEnvironment[]> {
    type Found = { name: string; summary: string; idle: number };
    const rows = await database.query<Found>(isKept ? LIST_KEPT : LIST, [after, limit]);
    return rows.map(({ name, summary, idle }) => ({ name, idle, summary: JSON.parse(summary) as unknown }));
  },
  async dropUnused(limit) {
    const rows = await database.query<{ name: string }>(DROP_UNUSED, [limit]);
    return rows.map(({ name }) => name);
  },
});
