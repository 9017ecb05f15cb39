import type { Transport } from './transport.ts';
import type { CallOptions, Snapshot } from './types.ts';

/** Named save points of an environment: rows, ids, clock and scenarios. They survive a reset. */
export class SnapshotControl {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  take(name: string, options?: CallOptions): Promise<Snapshot> {
    return this.#transport.call('Control_TakeSnapshot', { body: { name } }, options);
  }

  /** Oldest first. */
  async list(options?: CallOptions): Promise<Snapshot[]> {
    return (await this.#transport.call('Control_ListSnapshots', {}, options)).snapshots;
  }

  /** Restores a save point; this can be repeated. */
  async restore(name: string, options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_RestoreSnapshot', { path: { snapshot: name } }, options);
  }

  /** Deletes the save point; the environment stays as it is. */
  async delete(name: string, options?: CallOptions): Promise<void> {
    await this.#transport.call('Control_DeleteSnapshot', { path: { snapshot: name } }, options);
  }
}
