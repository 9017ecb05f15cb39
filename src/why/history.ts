import type { Entry } from '../journal/entry.ts';

/** A write of a row by a call. */
interface RowWrite {
  readonly entry: Entry;
  readonly collection: string;
  readonly change: 'created' | 'changed' | 'deleted';
}

/** Which calls of the journal wrote which row. It is made when somebody asks, for one answer of the control API. */
export class History {
  readonly #entries: () => readonly Entry[];
  #writes: Map<string, RowWrite[]> | undefined;

  constructor(entries: () => readonly Entry[]) {
    this.#entries = entries;
  }

  /** All writes of rows with this id, oldest first. */
  of(id: string): readonly RowWrite[] {
    return (this.#writes ??= this.#gather()).get(id) ?? [];
  }

  /** The latest write before the call. */
  before({ number }: Entry, id: string): RowWrite | undefined {
    return this.of(id).findLast(({ entry }) => entry.number < number);
  }

  #gather(): Map<string, RowWrite[]> {
    const writes = new Map<string, RowWrite[]>();
    for (const entry of this.#entries())
      for (const { collection, id, before, after } of entry.changes) {
        const change = before ? (after ? 'changed' : 'deleted') : 'created';
        const known = writes.get(id);
        if (known) known.push({ entry, collection, change });
        else writes.set(id, [{ entry, collection, change }]);
      }
    return writes;
  }
}
