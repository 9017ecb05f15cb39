import type { EnvironmentLog, Store, StoredNames } from '../storage.ts';
import { createStore } from '../store.ts';
import { AppendQueue, lostTo } from './append-queue.ts';
import { Database } from './database.ts';
import { heartbeatTimeout, Lease } from './lease.ts';
import { PostgresLog } from './postgres-log.ts';
import { peersIn } from './peers.ts';
import { migrate } from './schema.ts';
import { readState } from './stored-state.ts';
import { claim, Tenure, type Unconfirmed } from './tenure.ts';

export interface DatabaseSettings {
  warn: (message: string) => void;
  /** Milliseconds without a sign of life after which another process takes over. */
  lease: number;
  /** Hashes of the settings that all processes must share, by name. */
  shared: Readonly<Record<string, string>>;
  /** Where other processes reach this one; undefined: nowhere. */
  address?: string | undefined;
}

/** Connections for everything but heartbeats. */
const CONNECTIONS = 4;

/** Opens the database, creates or migrates its tables, and is one of those that share it until closed. */
export async function openDatabase(url: string, settings: DatabaseSettings): Promise<Store> {
  const { warn, lease: length, shared } = settings;
  const database = await Database.open(url, { timeout: Math.max(length, 2000), connections: CONNECTIONS });
  const beating = await Database.open(url, { timeout: heartbeatTimeout(length), connections: 1 });
  const close = () => Promise.all([database.close(), beating.close()]);
  try {
    await migrate(database);
    const owner = new Ownership(database);
    const own = { database: beating, length, warn, settings: shared, address: settings.address ?? null };
    const lease = await Lease.take(own, owner);
    owner.begin(lease);
    return createStore({
      envs: () => owner.names(),
      load: (name, onClose, wanted) => owner.open(name, onClose, wanted),
      watch: (listener) => owner.watch(listener),
      refusal: () => lease.refusal(),
      peers: await peersIn(database, lease, () => owner.unstored()),
      release: async () => {
        await lease.release();
        await close();
      },
    });
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** Lists the environments that are free for this process, and those that others own. */
const NAMES = `
  SELECT e.name, (r.id IS NULL OR r.dead OR r.expires_at < clock_timestamp() OR r.id = $1) AS free
    FROM understudy_environments e LEFT JOIN understudy_replicas r ON r.id = e.owner ORDER BY e.name`;

/** The environments that this process owns. */
class Ownership {
  readonly #database: Database;
  readonly #tenures = new Map<string, Tenure>();
  readonly #unconfirmed = new Map<string, Unconfirmed>();
  #lease!: Lease;
  #queue!: AppendQueue;
  #listener: ((names: StoredNames) => void) | undefined;
  /** The marker of the last heartbeat after which the environments were listed. */
  #heard: string | undefined;
  /** The marker of the last list, if no other list is needed. */
  #listed: string | undefined;
  #isListing = false;
  /** Environments that this process has opened or ended since the last list was asked for. */
  readonly #touched = new Set<string>();
  #wasAway = false;

  constructor(database: Database) {
    this.#database = database;
  }

  begin(lease: Lease): void {
    this.#lease = lease;
    this.#queue = new AppendQueue(this.#database, lease);
  }

  async names(): Promise<string[]> {
    return (await this.#list()).map(({ name }) => name);
  }

  watch(listener: (names: StoredNames) => void): void {
    this.#listener = listener;
    this.#follow(undefined);
  }

  async open(name: string, onClose: () => void, wanted?: 'existing'): Promise<EnvironmentLog> {
    const refusal = this.#lease.refusal();
    if (refusal) throw refusal;
    const owner = this.#lease.id;
    await this.#queue.settled(name);
    const unconfirmed = this.#unconfirmed.get(name);
    const found = await claim(this.#database, { name, owner, unconfirmed, wanted });
    this.#unconfirmed.delete(name);
    const tenure = new Tenure(
      { name, owner, epoch: found.epoch },
      {
        ended: () => {
          this.#tenures.delete(name);
          this.#touch(name);
          onClose();
        },
        unconfirmed: (what) => this.#unconfirmed.set(name, what),
      },
    );
    this.#tenures.set(name, tenure);
    this.#touch(name);
    const state = await readState(this.#database, name, found).catch((thrown: unknown) => {
      tenure.end(lostTo(name)); // the next heartbeat lists the environment again
      throw thrown;
    });
    const [database, lease, queue] = [this.#database, this.#lease, this.#queue];
    return new PostgresLog({ database, lease, queue, tenure, ...state, position: found.position });
  }

  unstored(): ReadonlyMap<string, number> {
    return this.#queue.unstored();
  }

  /** Lists the environments if they may have changed. */
  alive(marker: string, wasAway: boolean): void {
    this.#wasAway ||= wasAway;
    if (this.#wasAway || marker !== this.#listed) this.#follow(marker);
  }

  dead(): void {
    for (const tenure of this.#tenures.values()) tenure.end(lostTo(tenure.name));
  }

  #touch(name: string): void {
    this.#touched.add(name);
    this.#listed = undefined;
  }

  /** Tells which environments are free, one list at a time. */
  #follow(marker: string | undefined): void {
    if (!this.#listener || this.#isListing) return;
    this.#isListing = true;
    this.#touched.clear();
    // A marker may rise before its change can be read: the same marker twice says that there is nothing new.
    const isSettled = marker !== undefined && marker === this.#heard;
    this.#heard = marker;
    this.#list()
      .then((rows) => {
        const others = rows.filter(({ name }) => !this.#tenures.has(name) && !this.#touched.has(name));
        const named = (isFree: boolean) =>
          others.filter(({ free }) => free === isFree).map(({ name }) => name);
        const free = named(true);
        // A free one that cannot be opened now is tried again after the next heartbeat.
        this.#listed = isSettled && free.length + this.#touched.size === 0 ? marker : undefined;
        this.#listener?.({ free, elsewhere: named(false), wasAway: this.#wasAway });
        this.#wasAway = false;
      })
      .catch(() => {}) // the next heartbeat asks again
      .finally(() => (this.#isListing = false));
  }

  #list(): Promise<{ name: string; free: boolean }[]> {
    return this.#database.query(NAMES, [this.#lease.id]);
  }
}
