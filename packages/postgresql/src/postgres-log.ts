import { StoreError, type Commit } from '@understudy/core/store/change-log';
import type { Snapshot } from '@understudy/core/store/snapshot';
import type { EnvironmentLog, EnvironmentState, Rest } from '@understudy/core/store/storage';
import { lostTo, type AppendQueue, bodiesOf, type Batch } from './append-queue.ts';
import type { Database } from './database.ts';
import type { JournalRows } from './journal-queue.ts';
import type { Lease } from './lease.ts';
import { SavePointRows, giveUp, removeEnvironment, writeSnapshot } from './stored-state.ts';
import type { Tenure } from './tenure.ts';

/** A log above one of these bounds is folded. */
const MOST_COMMITS = 10_000;
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** A log above this bound is folded when the environment closes: a snapshot is smaller and faster to read. */
const MOST_COMMITS_AT_REST = 10;

interface LogParts {
  database: Database;
  lease: Lease;
  queue: AppendQueue;
  tenure: Tenure;
  journal: JournalRows | undefined;
}

interface PostgresLogParts extends LogParts {
  snapshot: Snapshot | undefined;
  commits: readonly Commit[];
  /** Position of the next commit. */
  position: number;
  idle: number;
  summary: unknown;
}

/** An environment in the database. Only its owner appends; a commit is stored with those of other environments. */
export class PostgresLog implements EnvironmentLog {
  readonly name: string;
  snapshot: Snapshot | undefined;
  commits: readonly Commit[];
  readonly idle: number;
  readonly summary: unknown;
  readonly isLost = false;
  readonly savePoints: SavePointRows;
  readonly journal: JournalRows | undefined;
  readonly #parts: LogParts;
  #position: number;
  /** The latest commits, while they are not stored. */
  #storing: Batch | undefined;
  #logged: { commits: number; characters: number };
  #snapshotPosition: number | undefined;
  #lastFold: Promise<void> = Promise.resolve();
  #isFolding = false;
  #isClosed = false;

  constructor({ snapshot, commits, position, idle, summary, ...parts }: PostgresLogParts) {
    this.#parts = parts;
    this.name = parts.tenure.name;
    this.snapshot = snapshot;
    this.commits = commits;
    this.savePoints = new SavePointRows(parts.database, parts.tenure);
    this.journal = parts.journal;
    this.idle = idle;
    this.summary = summary;
    this.#position = position;
    this.#snapshotPosition = snapshot?.position;
    this.#logged = { commits: commits.length, characters: 0 };
  }

  get isOver(): boolean {
    return this.#parts.tenure.ending !== undefined;
  }

  get wantsFold(): boolean {
    const { commits, characters } = this.#logged;
    return !this.#isFolding && (commits > MOST_COMMITS || characters > MOST_CHARACTERS);
  }

  /** What is stored need not be written again. */
  async begin(state: EnvironmentState): Promise<void> {
    [this.snapshot, this.commits] = [undefined, []];
    if (this.#snapshotPosition === undefined) await this.fold(state);
  }

  append(commit: Commit): void {
    const refusal = this.#refusal();
    if (refusal) throw refusal;
    const { queue, tenure } = this.#parts;
    const bodies = bodiesOf(commit);
    const batch = queue.add(tenure, this.#position, bodies);
    this.#position += bodies.length;
    this.#logged.commits += bodies.length;
    for (const { length } of bodies) this.#logged.characters += length;
    if (this.#storing === batch) return;
    this.#storing = batch;
    const isStored = () => {
      if (this.#storing === batch) this.#storing = undefined;
    };
    batch.stored.promise.then(isStored, isStored);
  }

  kept(): Promise<void> | undefined {
    if (this.#storing) return this.#storing.stored.promise;
    const refusal = this.#refusal();
    return refusal && Promise.reject(refusal);
  }

  beginAgain(commit: Commit): void {
    this.append(commit);
  }

  async fold(state: EnvironmentState): Promise<void> {
    const position = this.#position;
    const { database, tenure } = this.#parts;
    const stored = this.#storing?.stored.promise;
    this.#isFolding = true;
    this.#logged = { commits: 0, characters: 0 };
    const fold = this.#lastFold
      .then(() => stored)
      .then(async () => {
        if (this.#snapshotPosition === position) return;
        await writeSnapshot(database, tenure, position, state);
        this.#snapshotPosition = position;
      })
      .finally(() => (this.#isFolding = false));
    this.#lastFold = fold.catch(() => {}); // the caller of this fold gets the error
    return fold;
  }

  /** The next owner reads snapshot and log. */
  async finish(state: EnvironmentState): Promise<void> {
    await this.kept();
    if (this.#logged.commits > MOST_COMMITS_AT_REST) await this.fold(state);
  }

  async close(rest?: Rest): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#storing?.stored.promise.catch(() => {});
    await this.#lastFold;
    const { database, tenure } = this.#parts;
    if (tenure.ending) return;
    const isGivenUp = await giveUp(database, tenure, rest).then(
      () => true,
      () => false, // the next heartbeat, or the end of the lease, does the same
    );
    tenure.end(lostTo(this.name), { isGivenUp });
  }

  async remove(): Promise<void> {
    let isGivenUp = false; // if not, it is to be opened again
    try {
      await this.kept();
      await this.#lastFold;
      await this.journal?.settled();
      await removeEnvironment(this.#parts.database, this.#parts.tenure);
      isGivenUp = true;
    } finally {
      this.#isClosed = true;
      this.#parts.tenure.end(new StoreError(`environment ${this.name} is removed`), { isGivenUp });
    }
  }

  #refusal(): StoreError | undefined {
    const { tenure, lease } = this.#parts;
    if (tenure.ending) return tenure.ending;
    // The process has begun a new lease while it claimed the environment with the old one.
    return tenure.owner === lease.id ? lease.refusal() : lostTo(this.name);
  }
}
