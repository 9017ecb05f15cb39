import type { EnvironmentLog, Store, StoredNames } from '../storage.ts';
import { createStore } from '../store.ts';
import { AppendQueue, lostTo } from './append-queue.ts';
import { Database } from './database.ts';
import { Lease } from './lease.ts';
import { PostgresLog } from './postgres-log.ts';
import { migrate } from './schema.ts';
import { readState } from './stored-state.ts';
import { claim, Tenure, type Unconfirmed } from './tenure.ts';

export interface DatabaseSettings {
  warn: (message: string) => void;
  /** Milliseconds without a sign of life after which another process takes over. */
  lease: number;
}

/** Opens the database, creates or migrates its tables, and is one of those that share it until closed. */
export async function openDatabase(url: string, { warn, lease: length }: DatabaseSettings): Promise<Store> {
  const database = await Database.open(url, Math.max(length, 2000));
  try {
    await migrate(database);
    const owner = new Ownership(database);
    const lease = await Lease.take({ database, length, warn }, owner);
    owner.begin(lease);
    return createStore({
      envs: () => owner.names(),
      load: (name, onClose, wanted) => owner.open(name, onClose, wanted),
      watch: (listener) => owner.watch(listener),
      refusal: () => lease.refusal(),
      release: async () => {
        await lease.release();
        await database.close();
      },
    });
  } catch (thrown) {
    await database.close();
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
  #isListing = false;
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
    this.alive(false);
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
          onClose();
        },
        unconfirmed: (what) => this.#unconfirmed.set(name, what),
      },
    );
    this.#tenures.set(name, tenure);
    const state = await readState(this.#database, name, found).catch((thrown: unknown) => {
      tenure.end(lostTo(name)); // the next heartbeat lists the environment again
      throw thrown;
    });
    const [database, lease, queue] = [this.#database, this.#lease, this.#queue];
    return new PostgresLog({ database, lease, queue, tenure, ...state, position: found.position });
  }

  /** Tells which environments are free, one question at a time. */
  alive(wasAway: boolean): void {
    this.#wasAway ||= wasAway;
    if (!this.#listener || this.#isListing) return;
    this.#isListing = true;
    this.#list()
      .then((rows) => {
        const others = rows.filter(({ name }) => !this.#tenures.has(name));
        const named = (isFree: boolean) =>
          others.filter(({ free }) => free === isFree).map(({ name }) => name);
        this.#listener?.({ free: named(true), elsewhere: named(false), wasAway: this.#wasAway });
        this.#wasAway = false;
      })
      .catch(() => {}) // the next heartbeat asks again
      .finally(() => (this.#isListing = false));
  }

  dead(): void {
    for (const tenure of this.#tenures.values()) tenure.end(lostTo(tenure.name));
  }

  #list(): Promise<{ name: string; free: boolean }[]> {
    return this.#database.query(NAMES, [this.#lease.id]);
  }
}
