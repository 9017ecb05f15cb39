import { alreadyExists, ApiError, failedPrecondition } from '../contract/errors.ts';
import type { EnvironmentState, SavePointStore } from '../store/storage.ts';
import { suggestAmong } from '@understudy/text/suggestion';
import type { DurableLog } from './durable-log.ts';
import { NotKept } from '../store/not-kept.ts';
import type { StoredSnapshot } from './marks.ts';
import type { SavePoint } from './save-points.ts';

/** `time`: milliseconds since 1970 on the environment's clock. */
export type Snapshot = Readonly<Pick<StoredSnapshot, 'name' | 'time'>>;

interface KnownSnapshot extends StoredSnapshot {
  /** Undefined until it is read from the store. */
  point: SavePoint | undefined;
  /** Whether the store has its content. */
  isStored: boolean;
}

interface SnapshotsParts {
  readonly log: DurableLog;
  /** As plain data. */
  readonly write: (point: SavePoint) => EnvironmentState;
  readonly read: (stored: EnvironmentState) => Promise<SavePoint>;
  /** Stores the list; resolves once it is stored. */
  readonly kept: () => Promise<void> | undefined;
}

export type SavedSnapshots = readonly KnownSnapshot[];

const MAX_SNAPSHOTS = 100;
/** The content of a start that is not the fixture. */
const START = 0;

/** Save points of one environment by name, oldest first. A reset does not remove them. */
export class Snapshots {
  readonly #parts: SnapshotsParts;
  readonly #all = new Map<string, KnownSnapshot>();
  #last = START;
  #hasStart = false;
  /** Whether the list has changed since it was stored. */
  hasNews = false;

  constructor(parts: SnapshotsParts) {
    this.#parts = parts;
  }

  /** Resolves once the store has it, if the environment is stored. */
  async add({ name, time }: Snapshot, point: SavePoint): Promise<Snapshot> {
    if (this.#all.has(name)) throw alreadyExists(`snapshot ${name} exists already`);
    if (this.#all.size >= MAX_SNAPSHOTS)
      throw failedPrecondition(
        `there are ${MAX_SNAPSHOTS} snapshots, the most that an environment keeps: delete some`,
      );
    const id = (this.#last += 1);
    const snapshot: KnownSnapshot = { name, time, id, point, isStored: false };
    this.#all.set(name, snapshot);
    try {
      await this.#write(id, point);
    } catch (thrown) {
      this.#all.delete(name);
      throw thrown;
    }
    snapshot.isStored = true;
    this.hasNews = true;
    return { name, time };
  }

  list(): Snapshot[] {
    return Array.from(this.#all.values(), ({ name, time }) => ({ name, time }));
  }

  async pointOf(name: string): Promise<SavePoint> {
    const snapshot = this.#get(name);
    return (snapshot.point ??= await this.#read(snapshot.id));
  }

  /** The content goes once the log no longer lists it. */
  async remove(name: string): Promise<void> {
    this.#all.delete(this.#get(name).name);
    this.hasNews = true;
    await this.#parts.kept();
    if (!this.hasNews) await this.removeOthers();
  }

  /** Stores a start that is not the fixture. */
  async addStart(point: SavePoint): Promise<void> {
    await this.#write(START, point);
    this.#hasStart = true;
    this.hasNews = true;
  }

  /** Undefined: the fixture is the start. */
  async startIn(store: SavePointStore | undefined): Promise<SavePoint | undefined> {
    return this.#hasStart && store ? this.#parts.read(await store.read(START)) : undefined;
  }

  marks(): { snapshots: readonly StoredSnapshot[]; hasStart: boolean } {
    const stored = [...this.#all.values()].filter(({ isStored }) => isStored);
    return { snapshots: stored.map(({ name, time, id }) => ({ name, time, id })), hasStart: this.#hasStart };
  }

  save(): SavedSnapshots {
    return [...this.#all.values()];
  }

  /** What was not stored did not happen. */
  takeBack(saved: SavedSnapshots): void {
    this.#all.clear();
    for (const each of saved) this.#all.set(each.name, each);
    this.hasNews = false;
  }

  /** Those of another process, or of an earlier one. */
  restore(stored: readonly StoredSnapshot[] = [], hasStart = false): void {
    this.#all.clear();
    for (const each of stored) this.#all.set(each.name, { ...each, point: undefined, isStored: true });
    this.#last = Math.max(START, ...stored.map(({ id }) => id));
    this.#hasStart = hasStart;
  }

  /** Removes contents that are not listed: an earlier process may have ended before it listed one. */
  async removeOthers(): Promise<void> {
    const listed = [...this.#all.values()].map(({ id }) => id);
    await this.#use((store) => store.keepOnly(this.#hasStart ? [START, ...listed] : listed));
  }

  async #write(id: number, point: SavePoint): Promise<void> {
    await this.#use((store) => store.write(id, this.#parts.write(point)));
  }

  async #read(id: number): Promise<SavePoint> {
    const stored = await this.#use((store) => store.read(id));
    return this.#parts.read(stored!);
  }

  /** Undefined if the environment is in memory only. */
  async #use<T>(run: (store: SavePointStore) => Promise<T>): Promise<T | undefined> {
    const store = this.#parts.log.savePoints;
    try {
      return store && (await run(store));
    } catch (thrown) {
      throw NotKept.of(thrown);
    }
  }

  #get(name: string): KnownSnapshot {
    const snapshot = this.#all.get(name);
    if (snapshot) return snapshot;
    const hint = suggestAmong(name, [...this.#all.keys()]);
    throw new ApiError('not_found', `snapshot ${name} not found${hint}`);
  }
}
