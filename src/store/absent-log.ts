import type { Commit, StoreUnavailable } from './change-log.ts';
import type { EnvironmentLog, SavePointStore } from './storage.ts';

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
