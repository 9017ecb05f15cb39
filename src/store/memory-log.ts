import type { Commit, StoreUnavailable } from './change-log.ts';
import { createMemoryDb, type SnapshotDb } from './snapshot.ts';
import type { EnvironmentLog, EnvironmentState, SavePointStore } from './storage.ts';

/** An environment that ends with the process. */
export class MemoryLog implements EnvironmentLog {
  readonly name: string;
  readonly snapshot = undefined;
  readonly commits: readonly Commit[] = [];
  readonly idle = 0;
  readonly wantsFold = false;
  readonly isLost = false;
  readonly isOver = false;
  readonly #onClose: () => void;
  readonly #db: SnapshotDb = createMemoryDb();
  #position = 0;

  constructor(name: string, onClose: () => void) {
    this.name = name;
    this.#onClose = onClose;
  }

  begin(state: EnvironmentState): Promise<void> {
    return this.fold(state);
  }

  append(_commit: Commit): void {
    this.#position++;
  }

  kept(): undefined {
    return undefined;
  }

  beginAgain(_commit: Commit): void {
    this.#position++;
  }

  async fold({ marks, collections }: EnvironmentState): Promise<void> {
    this.#db.data = { position: this.#position, marks, collections };
    await this.#db.write();
  }

  finish(state: EnvironmentState): Promise<void> {
    return this.fold(state);
  }

  async close(): Promise<void> {
    this.#onClose();
  }

  async remove(): Promise<void> {
    this.#onClose();
  }
}

/** Stands for the log of an environment that another process has open: nothing can be read or written. */
export class AbsentLog implements EnvironmentLog {
  readonly name: string;
  readonly snapshot = undefined;
  readonly commits: readonly Commit[] = [];
  readonly idle = 0;
  readonly isLost = false;
  readonly isOver = true;
  readonly wantsFold = false;
  readonly savePoints: SavePointStore;
  readonly #reason: StoreUnavailable;

  constructor(name: string, reason: StoreUnavailable) {
    this.name = name;
    this.#reason = reason;
    const refuse = () => Promise.reject(reason);
    this.savePoints = { write: refuse, read: refuse, keepOnly: refuse };
  }

  append(): void {
    throw this.#reason;
  }

  beginAgain(): void {
    throw this.#reason;
  }

  kept(): Promise<void> {
    return Promise.reject(this.#reason);
  }

  remove(): Promise<void> {
    return Promise.reject(this.#reason);
  }

  async begin(): Promise<void> {}
  async fold(): Promise<void> {}
  async finish(): Promise<void> {}
  async close(): Promise<void> {}
}
