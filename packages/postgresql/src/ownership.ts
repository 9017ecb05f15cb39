import type { EnvironmentLog, StoredNames } from '@understudy/core/store/storage';
import { AppendQueue, lostTo } from './append-queue.ts';
import type { Database } from './database.ts';
import { type JournalQueue, JournalRows } from './journal-queue.ts';
import type { Lease } from './lease.ts';
import { PostgresLog } from './postgres-log.ts';
import { readState } from './stored-state.ts';
import { claim, Tenure, type Claim, type Unconfirmed } from './tenure.ts';

/** Nobody owns them, and something happens in them by now. An index gives them, however many others rest. */
const DUE = `
  SELECT name FROM understudy_environments WHERE owner IS NULL AND due_at <= now() ORDER BY due_at LIMIT 1000`;

/** Their owner has ended, or is this process. */
const LEFT = `
  SELECT e.name FROM understudy_environments e LEFT JOIN understudy_replicas r ON r.id = e.owner
    WHERE e.owner IS NOT NULL AND (r.id IS NULL OR r.dead OR r.expires_at < clock_timestamp() OR r.id = $1)`;

/** The environments that this process owns. */
export class Ownership {
  readonly #database: Database;
  readonly #journals: JournalQueue | undefined;
  readonly #tenures = new Map<string, Tenure>();
  readonly #unconfirmed = new Map<string, Unconfirmed>();
  #lease!: Lease;
  #queue!: AppendQueue;
  #listener: ((names: StoredNames) => void) | undefined;
  /** The processes that lived when nothing was left of ended ones; undefined: something may be left. */
  #settled: string | undefined;
  #isListing = false;
  /** Environments that this process has opened or ended since the last list was asked for. */
  readonly #touched = new Set<string>();
  #wasAway = false;

  /** `journals`: undefined if calls are not stored. */
  constructor(database: Database, journals?: JournalQueue) {
    this.#database = database;
    this.#journals = journals;
  }

  begin(lease: Lease): void {
    this.#lease = lease;
    this.#queue = new AppendQueue(this.#database, lease);
  }

  watch(listener: (names: StoredNames) => void): void {
    this.#listener = listener;
    void this.#follow(undefined);
  }

  async open(name: string, onClose: () => void, wanted?: 'existing'): Promise<EnvironmentLog> {
    const refusal = this.#lease.refusal();
    if (refusal) throw refusal;
    const owner = this.#lease.id;
    await this.#queue.settled(name);
    const unconfirmed = this.#unconfirmed.get(name);
    const found = await claim(this.#database, { name, owner, unconfirmed, wanted });
    this.#unconfirmed.delete(name);
    const tenure = this.#begin(name, owner, found, onClose);
    const state = await readState(this.#database, name, found).catch((thrown: unknown) => {
      tenure.end(lostTo(name)); // the next heartbeat lists the environment again
      throw thrown;
    });
    const [database, lease, queue] = [this.#database, this.#lease, this.#queue];
    const { position, idle, summary } = found;
    const journal = this.#journals && new JournalRows(database, this.#journals, tenure);
    return new PostgresLog({ database, lease, queue, tenure, journal, ...state, position, idle, summary });
  }

  unstored(): ReadonlyMap<string, number> {
    return this.#queue.unstored();
  }

  /** A heartbeat has succeeded. `living`: the processes of the database; `wasAway`: the lease refused calls. */
  alive(living: string, wasAway: boolean): void {
    this.#wasAway ||= wasAway;
    void this.#follow(living);
  }

  /** Others have declared this process dead. */
  dead(): void {
    for (const tenure of this.#tenures.values()) tenure.end(lostTo(tenure.name));
  }

  #begin(name: string, owner: string, { epoch }: Claim, onClose: () => void): Tenure {
    const tenure = new Tenure(
      { name, owner, epoch },
      {
        ended: (isGivenUp) => {
          this.#tenures.delete(name);
          this.#touched.add(name);
          if (!isGivenUp) this.#settled = undefined;
          onClose();
        },
        unconfirmed: (what) => this.#unconfirmed.set(name, what),
      },
    );
    this.#tenures.set(name, tenure);
    this.#touched.add(name);
    return tenure;
  }

  /** One list at a time; if it fails, the next heartbeat asks again. `living`: undefined if unknown. */
  async #follow(living: string | undefined): Promise<void> {
    if (!this.#listener || this.#isListing) return;
    this.#isListing = true;
    try {
      this.#touched.clear();
      const isSettled = living !== undefined && living === this.#settled;
      this.#settled = living;
      const left = isSettled ? [] : await this.#others(LEFT, [this.#lease.id]);
      // What cannot be opened now is tried again after the next heartbeat.
      if (left.length > 0) this.#settled = undefined;
      const due = await this.#others(DUE, []);
      this.#listener({ free: [...left, ...due], wasAway: this.#wasAway });
      this.#wasAway = false;
    } catch {
      this.#settled = undefined;
    } finally {
      this.#isListing = false;
    }
  }

  /** Those that this process has not open. */
  async #others(statement: string, values: string[]): Promise<string[]> {
    const rows = await this.#database.query<{ name: string }>(statement, values);
    return rows
      .map(({ name }) => name)
      .filter((name) => !this.#tenures.has(name) && !this.#touched.has(name));
  }
}
