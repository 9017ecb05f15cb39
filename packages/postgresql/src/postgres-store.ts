import { StoreError, StoreUnavailable } from '@understudy/core/store/change-log';
import type {
  DatabaseSettings,
  EnvironmentLog,
  RestingEnvironment,
  RestingEnvironments,
  RestingPage,
  SharedStore,
  Store,
  StoredNames,
} from '@understudy/core/store/storage';
import { createStore } from '@understudy/core/store/store';
import { Database } from './database.ts';
import { AppendQueue, ReadQueue } from './log-queue.ts';
import { PostgresLog } from './postgres-log.ts';
import { Processes } from './processes.ts';
import { migrate } from './schema.ts';
import { find, newEnvironment, noteUse, REMOVE_STORED } from './stored-state.ts';

const CONNECTIONS = 5;
/** Milliseconds that a statement may take. */
const TIMEOUT = 5000;
/** Milliseconds that a statement may take at the start: no call waits for it, and a busy database may be slow. */
const TIME_TO_START = 20_000;
/** Milliseconds between two looks at what is due, and at what somebody follows. */
const [LOOK, FOLLOW] = [2500, 50];

/** Opens the database, creates or migrates its tables, and is one of those that share it until closed. */
export async function openDatabase(url: string, settings: DatabaseSettings): Promise<Store> {
  const database = await Database.open(url, { timeout: TIMEOUT, connections: CONNECTIONS });
  const starting = await Database.open(url, { timeout: TIME_TO_START, connections: 1 });
  try {
    await migrate(starting);
    const processes = await Processes.join(starting, settings.shared);
    return new PostgresStore(database, processes, settings).asStore();
  } catch (thrown) {
    await database.close();
    throw thrown;
  } finally {
    await starting.close();
  }
}

class PostgresStore {
  readonly #database: Database;
  readonly #processes: Processes;
  readonly #settings: DatabaseSettings;
  readonly #appends: AppendQueue;
  readonly #reads: ReadQueue;
  readonly #open = new Map<string, PostgresLog>();
  readonly #timers: NodeJS.Timeout[] = [];
  #listener: (names: StoredNames) => void = () => {};
  #refusal: StoreError | undefined;
  #wasAway = false;
  #isFollowing = false;
  #looking: Promise<void> | undefined;
  #isReleased = false;

  constructor(database: Database, processes: Processes, settings: DatabaseSettings) {
    this.#database = database;
    this.#processes = processes;
    this.#settings = settings;
    const onFailed = (reason: unknown) => this.#warnOf(reason);
    this.#appends = new AppendQueue(database, TIMEOUT, onFailed);
    this.#reads = new ReadQueue(database, onFailed);
  }

  asStore(): Store {
    return createStore({
      envs: async () => [], // a call opens them, or what is due in them
      load: (name, onClose, wanted) => this.#load(name, onClose, wanted),
      generation: (name) => timesDropped(this.#database, name),
      watch: (listener) => this.#watch(listener),
      refusal: () => this.#refusal,
      shared: { ...sharedIn(this.#database), keep: (name) => this.#keep(name) },
      resting: this.#resting(),
      release: () => this.#release(),
    });
  }

  async #load(name: string, onClose: () => void, wanted?: 'existing'): Promise<EnvironmentLog> {
    const found = await find(this.#database, name);
    if (!found && wanted) throw new StoreUnavailable(`environment ${name} was removed`);
    const parts = {
      database: this.#database,
      appends: this.#appends,
      reads: this.#reads,
      processes: this.#processes,
      onClose: () => {
        if (this.#open.get(name) === log) this.#open.delete(name);
        onClose();
      },
    };
    const log = new PostgresLog(found ?? newEnvironment(name), parts);
    this.#open.set(name, log);
    return log;
  }

  #watch(listener: (names: StoredNames) => void): void {
    this.#listener = listener;
    this.#timers.push(
      setInterval(() => (this.#looking = this.#look()), LOOK),
      setInterval(() => void this.#follow(), FOLLOW).unref(),
    );
  }

  /** All environments are closed, so that nothing waits for a statement but a look. */
  async #release(): Promise<void> {
    this.#isReleased = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#looking;
    await this.#processes.leave(this.#database);
    await this.#database.close();
  }

  /** Says which environments are in memory here, and opens those in which something is due. */
  async #look(): Promise<void> {
    try {
      await this.#processes.note(this.#database);
      const inUse = [...this.#open.values()].filter((log) => !log.isOver && log.isReady);
      if (inUse.length > 0)
        await noteUse(
          this.#database,
          inUse.map((log) => ({ life: log.life, rest: log.rest() })),
        );
      const due = await this.#database.query<{ name: string }>(
        'SELECT name FROM understudy_environments WHERE due_at <= clock_timestamp() ORDER BY due_at LIMIT 1000',
      );
      const free = due.map(({ name }) => name).filter((name) => !this.#open.has(name));
      if (this.#wasAway) this.#settings.warn(`database ${this.#database.shown} answers again`);
      this.#refusal = undefined;
      this.#listener({ free, wasAway: this.#wasAway });
      this.#wasAway = false;
    } catch (thrown) {
      this.#warnOf(thrown);
      this.#refusal = new StoreUnavailable(`database ${this.#database.shown} cannot be reached: try again`);
    }
  }

  /** The next look that succeeds says that the database answers again. */
  #warnOf(reason: unknown): void {
    if (!this.#wasAway && !this.#isReleased)
      this.#settings.warn(`${(reason as Error).message}: calls are refused until it answers`);
    this.#wasAway = true;
  }

  async #keep(name: string): Promise<void> {
    const kept = 'UPDATE understudy_environments SET kept_at = clock_timestamp() WHERE name = $1';
    await this.#database.query(kept, [name]);
    const log = this.#open.get(name);
    if (log) await noteUse(this.#database, [{ life: log.life, rest: log.rest() }]);
  }

  /** Reads on where somebody waits for what other processes do. */
  async #follow(): Promise<void> {
    const followed = [...this.#open.values()].filter((log) => !log.isOver && log.isFollowed);
    if (this.#isFollowing || followed.length === 0) return;
    this.#isFollowing = true;
    await Promise.allSettled(followed.map((log) => log.followOthers()));
    this.#isFollowing = false;
  }

  /** The environments that this process has not in memory. */
  #resting(): RestingEnvironments {
    const database = this.#database;
    return {
      list: async ({ after, limit, isKept = false }: RestingPage): Promise<RestingEnvironment[]> => {
        type Found = { name: string; summary: string; idle: number };
        const open = [...this.#open.keys()];
        const rows = await database.query<Found>(isKept ? LIST_KEPT : LIST, [after, limit, open]);
        return rows.map(({ name, summary, idle }) => ({
          name,
          idle,
          summary: JSON.parse(summary) as unknown,
        }));
      },
      dropUnused: async (limit) => {
        const rows = await database.query<{ name: string }>(DROP_UNUSED, [limit, [...this.#open.keys()]]);
        return rows.map(({ name }) => name);
      },
    };
  }
}

const sharedIn = (database: Database): Omit<SharedStore, 'keep'> => ({
  async isStored(name) {
    return (await database.query('SELECT FROM understudy_environments WHERE name = $1', [name])).length > 0;
  },
  async keptBefore(limit) {
    const rows = await database.query<{ name: string }>(
      'SELECT name FROM understudy_environments WHERE kept_at IS NOT NULL ORDER BY kept_at DESC, name OFFSET $1',
      [limit],
    );
    return rows.map(({ name }) => name);
  },
});

async function timesDropped(database: Database, name: string): Promise<number> {
  const [row] = await database.query<{ times: string }>(
    'SELECT times FROM understudy_dropped WHERE name = $1',
    [name],
  );
  return Number(row?.times ?? 0);
}

const listOf = (isWanted: string) => `
  SELECT name, summary, (extract(epoch FROM clock_timestamp() - used_at) * 1000)::float8 AS idle
    FROM understudy_environments
    WHERE ${isWanted} AND name > $1 AND name <> ALL ($3::text[]) ORDER BY name LIMIT $2`;

const LIST = listOf('summary IS NOT NULL');
const LIST_KEPT = listOf('summary IS NOT NULL AND kept_at IS NOT NULL');

/** What somebody uses at the same time is left out. */
const DROP_UNUSED = `
  WITH unused AS (
    SELECT name FROM understudy_environments
      WHERE temporary AND used_at < now() - $1 * interval '1 ms' AND name <> ALL ($2::text[])
      ORDER BY used_at LIMIT 1000 FOR UPDATE SKIP LOCKED
  ), removed AS (
    DELETE FROM understudy_environments e USING unused u WHERE e.name = u.name RETURNING e.name, e.life
  ), ${REMOVE_STORED}`;
