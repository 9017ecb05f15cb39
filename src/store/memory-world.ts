import type { Collections, Commit } from './change-log.ts';
import { createMemoryDb, type SnapshotDb } from './snapshot.ts';
import type { DurableWorld } from './store.ts';

/** A world that nothing outlives. */
export class MemoryWorld implements DurableWorld {
  readonly name: string;
  readonly snapshot = undefined;
  readonly commits: readonly Commit[] = [];
  readonly wantsFold = false;
  readonly isLost = false;
  readonly #onClose: () => void;
  readonly #db: SnapshotDb = createMemoryDb();
  #position = 0;

  constructor(name: string, onClose: () => void) {
    this.name = name;
    this.#onClose = onClose;
  }

  append(_commit: Commit): void {
    this.#position++;
  }

  beginAgain(_commit: Commit): void {
    this.#position++;
  }

  async fold({ marks, collections }: { marks: unknown; collections: Collections }): Promise<void> {
    this.#db.data = { position: this.#position, marks, collections };
    await this.#db.write();
  }

  async close(): Promise<void> {
    this.#onClose();
  }

  async remove(): Promise<void> {
    this.#onClose();
  }
}
