import { randomUUID } from 'node:crypto';
import { type Commit, Overtaken, type StoreError, StoreUnavailable } from '@understudy/core/store/change-log';
import type { Snapshot } from '@understudy/core/store/snapshot';
import type {
  EnvironmentLog,
  EnvironmentState,
  LogFollower,
  Rest,
  SharedLog,
} from '@understudy/core/store/storage';
import { CallRows } from './call-rows.ts';
import type { Database } from './database.ts';
import type { AppendQueue, Batch, QueuedLog, ReadQueue, StoredBatch } from './log-queue.ts';
import type { Processes } from './processes.ts';
import { create, publish, putToRest, remove, SavePointRows, type StoredEnvironment } from './stored-state.ts';

/** A log above one of these bounds is folded. */
const MOST_BATCHES = 5000;
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** Seconds in which one process alone makes an outgoing call. */
const CLAIM_TIME = 30;

interface LogParts {
  database: Database;
  appends: AppendQueue;
  reads: ReadQueue;
  processes: Processes;
  onClose: () => void;
}

interface WaitingBatch {
  readonly id: string;
  readonly commits: string[];
  readonly stored: PromiseWithResolvers;
  /** Nothing may be added, because its end is known as a position. */
  isSealed: boolean;
  /** The state behind it, from the moment on in which it is sent. */
  after?: unknown;
}

interface PromiseWithResolvers {
  promise: Promise<void>;
  resolve: () => void;
  reject: (reason: StoreError) => void;
}

function withResolvers(): PromiseWithResolvers {
  let [resolve, reject]: [() => void, (reason: StoreError) => void] = [() => {}, () => {}];
  const promise = new Promise<void>((onStored, onFailed) => ([resolve, reject] = [onStored, onFailed]));
  promise.catch(() => {}); // the callers that wait for it get the error
  return { promise, resolve, reject };
}

const SPENT = Promise.resolve();

/**
 * One environment in the database, as one of several processes uses it. What it writes is appended behind the last batch that
 * it knows; where another process was faster, the primary key refuses it. Then everything that waits is taken back.
 */
export class PostgresLog implements EnvironmentLog, SharedLog, QueuedLog {
  readonly name: string;
  readonly life: string;
  snapshot: Snapshot | undefined;
  commits: readonly Commit[];
  readonly idle: number;
  readonly summary: unknown;
  readonly isLost = false;
  readonly shared: SharedLog = this;
  readonly savePoints: SavePointRows;
  readonly calls: CallRows;
  readonly #parts: LogParts;
  readonly #isNew: boolean;
  #follower!: LogFollower;
  #position: number;
  /** The state before the batch at the position. */
  #saved: unknown;
  #sent: WaitingBatch | undefined;
  #waiting: WaitingBatch[] = [];
  #applying: Promise<void> = SPENT;
  #ending: StoreError | undefined;
  #logged = { batches: 0, characters: 0 };
  #isFolding = false;
  /** How often waiting batches were taken back. */
  #losses = 0;

  constructor(stored: StoredEnvironment, parts: LogParts) {
    this.#parts = parts;
    this.name = stored.name;
    this.life = stored.life;
    this.snapshot = stored.snapshot;
    this.commits = stored.commits;
    this.idle = stored.idle;
    this.summary = stored.summary;
    this.#isNew = stored.isNew;
    this.#position = stored.position;
    this.savePoints = new SavePointRows(parts.database, this.life);
    this.calls = new CallRows(parts.database, this.life, parts.processes);
  }

  get position(): number {
    return this.#position;
  }

  get isOver(): boolean {
    return this.#ending !== undefined;
  }

  /** Whether the environment has the state of the log. */
  get isReady(): boolean {
    return this.#follower !== undefined;
  }

  get isFollowed(): boolean {
    return this.#follower?.isFollowed ?? false;
  }

  get wantsFold(): boolean {
    const { batches, characters } = this.#logged;
    return !this.#isFolding && (batches > MOST_BATCHES || characters > MOST_CHARACTERS);
  }

  follow(follower: LogFollower): void {
    this.#follower = follower;
    this.#saved = follower.save();
  }

  async begin(state: EnvironmentState): Promise<void> {
    [this.snapshot, this.commits] = [undefined, []];
    if (!this.#isNew) return;
    const { database } = this.#parts;
    if (await create(database, this, { state, rest: this.rest() })) return;
    const reason = new Overtaken(`another process has made environment ${this.name}`);
    this.#end(reason);
    throw reason;
  }

  append(commit: Commit): void {
    if (this.#ending) throw this.#ending;
    let last = this.#waiting.at(-1);
    if (!last || last.isSealed)
      this.#waiting.push(
        (last = { id: randomUUID(), commits: [], stored: withResolvers(), isSealed: false }),
      );
    const text = JSON.stringify(commit);
    last.commits.push(text);
    this.#logged.characters += text.length;
    if (!this.#sent) this.#parts.appends.add(this);
  }

  kept(): Promise<void> | undefined {
    const last = this.#waiting.at(-1) ?? this.#sent;
    if (last) return last.stored.promise;
    return this.#ending && Promise.reject(this.#ending);
  }

  beginAgain(commit: Commit): void {
    this.append(commit);
  }

  async readOn(): Promise<void> {
    if (this.#ending) throw this.#ending;
    await this.#parts.reads.read(this);
    await this.#applying;
    if (this.#ending) throw this.#ending;
  }

  async claim(call: string): Promise<boolean> {
    const claimed = await this.#parts.database.query(
      `INSERT INTO understudy_claims AS c (life, call, until)
        VALUES ($1, $2, clock_timestamp() + $3 * interval '1 s')
        ON CONFLICT (life, call) DO UPDATE SET until = excluded.until WHERE c.until < clock_timestamp()
        RETURNING call`,
      [this.life, call, CLAIM_TIME],
    );
    return claimed.length > 0;
  }

  async release(call: string): Promise<void> {
    const values = [this.life, call];
    await this.#parts.database
      .query('DELETE FROM understudy_claims WHERE life = $1 AND call = $2', values)
      .catch(() => {}); // it ends by itself
  }

  take(): Batch | undefined {
    if (this.#sent) return undefined;
    const batch = this.#waiting.shift();
    if (!batch) return undefined;
    // Nothing else waits behind it, or it was sealed: then the state behind it was saved at that moment.
    batch.after ??= this.#follower.save();
    this.#sent = batch;
    return { id: batch.id, position: this.#position, body: `[${batch.commits.join(',')}]` };
  }

  landed({ id }: Pick<Batch, 'id'>): void {
    const sent = this.#sent;
    if (sent?.id !== id) return; // it was read before the answer came
    this.#position += 1;
    this.#logged.batches += 1;
    this.#saved = sent.after;
    this.#sent = undefined;
    sent.stored.resolve();
    if (this.#waiting.length > 0) this.#parts.appends.add(this);
  }

  overtaken({ id }: Batch): void {
    if (this.#sent?.id === id)
      this.#takeBack(new Overtaken(`another process has changed environment ${this.name}: try again`));
  }

  failed({ id }: Batch, reason: StoreError): void {
    if (this.#sent?.id === id) this.#takeBack(reason);
  }

  found(rows: readonly StoredBatch[] | undefined): Promise<void> {
    if (!rows) this.#end(new StoreUnavailable(`environment ${this.name} was removed`));
    else if (rows.length > 0) {
      const applied = this.#applying.then(() => this.#apply(rows));
      this.#applying = applied.catch((thrown: StoreError) => this.#end(thrown));
    }
    return this.#applying;
  }

  async #apply(rows: readonly StoredBatch[]): Promise<void> {
    const fresh = rows.filter(({ position, id }) => {
      if (position === this.#position && this.#sent?.id === id) this.landed({ id });
      return position >= this.#position;
    });
    const [first] = fresh;
    if (!first || this.#ending) return;
    if (first.position > this.#position)
      throw new Overtaken(`environment ${this.name} is read again from its snapshot: try again`);
    const commits = fresh.flatMap(({ body }) => JSON.parse(body) as Commit[]);
    const preparing = this.#follower.prepare(commits);
    const apply = preparing instanceof Promise ? await preparing : preparing;
    if (this.#sent || this.#waiting.length > 0)
      this.#takeBack(new Overtaken(`another process has changed environment ${this.name}: try again`));
    apply();
    this.#position += fresh.length;
    this.#logged.batches += fresh.length;
    this.#saved = this.#follower.save();
  }

  /** Everything that waits did not happen. */
  #takeBack(reason: StoreError): void {
    const lost = [...(this.#sent ? [this.#sent] : []), ...this.#waiting];
    this.#sent = undefined;
    this.#waiting = [];
    this.#losses += 1;
    this.#follower.restore(this.#saved);
    for (const { stored } of lost) stored.reject(reason);
  }

  async fold(state: EnvironmentState): Promise<void> {
    const last = this.#waiting.at(-1);
    if (last) {
      last.isSealed = true;
      last.after = this.#follower.save();
    }
    const position = this.#position + this.#waiting.length + (this.#sent ? 1 : 0);
    const losses = this.#losses;
    this.#isFolding = true;
    this.#logged = { batches: 0, characters: 0 };
    try {
      await this.kept();
      if (losses === this.#losses) await publish(this.#parts.database, this, { position, state });
    } finally {
      this.#isFolding = false;
    }
  }

  /** Others read the same log. */
  async finish(): Promise<void> {
    await this.kept();
  }

  /** Reads what other processes have written and answered. */
  async followOthers(): Promise<void> {
    await this.readOn();
    await this.#follower.readCalls();
  }

  rest(): Rest {
    return this.#follower.rest();
  }

  async close(rest?: Rest): Promise<void> {
    if (this.#ending) return;
    await this.kept()?.catch(() => {});
    if (rest) await putToRest(this.#parts.database, [{ life: this.life, rest }]).catch(() => {}); // others open it soon
    this.#end(new StoreUnavailable(`environment ${this.name} is not in memory: try again`));
  }

  async remove(): Promise<void> {
    await this.kept()?.catch(() => {});
    const isRemoved = await remove(this.#parts.database, this.life);
    const reason = new StoreUnavailable(`environment ${this.name} was removed`);
    this.#end(reason);
    if (!isRemoved) throw reason;
  }

  #end(reason: StoreError): void {
    if (this.#ending) return;
    if (this.#sent || this.#waiting.length > 0) this.#takeBack(reason);
    this.#ending = reason;
    this.#parts.onClose();
  }
}
