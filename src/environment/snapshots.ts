import { alreadyExists, ApiError, failedPrecondition } from '../errors.ts';
import { suggestAmong } from '../text/suggestion.ts';
import type { SavePoint } from './save-point.ts';

export interface Snapshot {
  readonly name: string;
  /** Milliseconds since 1970 on the environment's clock. */
  readonly time: number;
  readonly point: SavePoint;
}

const MAX_SNAPSHOTS = 100;

/** Save points of one environment by name, oldest first. A reset does not remove them; they end with the process. */
export class Snapshots {
  readonly #all = new Map<string, Snapshot>();

  add(snapshot: Snapshot): Snapshot {
    const { name } = snapshot;
    if (this.#all.has(name)) throw alreadyExists(`snapshot ${name} exists already`);
    if (this.#all.size >= MAX_SNAPSHOTS)
      throw failedPrecondition(
        `there are ${MAX_SNAPSHOTS} snapshots, the most that an environment keeps: delete some`,
      );
    this.#all.set(name, snapshot);
    return snapshot;
  }

  list(): Snapshot[] {
    return [...this.#all.values()];
  }

  get(name: string): Snapshot {
    const snapshot = this.#all.get(name);
    if (snapshot) return snapshot;
    const hint = suggestAmong(name, [...this.#all.keys()]);
    throw new ApiError('not_found', `snapshot ${name} not found${hint}`);
  }

  remove(name: string): void {
    this.#all.delete(this.get(name).name);
  }
}
