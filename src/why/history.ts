import type { Entry } from '../journal/entry.ts';

/** What a call did to a row. */
export interface RowEdit {
  readonly collection: string;
  readonly id: string;
  readonly change: 'created' | 'changed' | 'deleted';
  /** The row after the call; absent for a large call, of which the journal keeps less. */
  readonly after?: object | undefined;
}

/** A write of a row by a call. */
interface RowWrite extends RowEdit {
  readonly entry: Entry;
}

/** Each row that the call wrote, in the order of the writes. */
export function editsOf({ changes, shortPatch }: Entry): RowEdit[] {
  if (!shortPatch)
    return changes.map(({ collection, id, before, after }) => ({
      collection,
      id,
      change: before ? (after ? 'changed' : 'deleted') : 'created',
      after,
    }));
  const edits = new Map<string, RowEdit>();
  for (const { op, path } of shortPatch) {
    const [, collection = '', id = '', ...member] = path.split('/').map(plainName);
    const change = member.length > 0 ? 'changed' : CHANGE_OF[op];
    const known = edits.get(`${collection}/${id}`);
    if (!known) edits.set(`${collection}/${id}`, { collection, id, change });
  }
  return [...edits.values()];
}

const CHANGE_OF = { add: 'created', remove: 'deleted', replace: 'changed' } as const;

const plainName = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~');

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

  /** The latest deletion, before the call, of a row of this name. */
  deletion(collection: string, name: string, { number }: Entry): RowWrite | undefined {
    for (const entry of this.#entries().toReversed())
      for (const { id, before, after, ...change } of entry.number < number ? entry.changes : [])
        if (change.collection === collection && !after && (before as { name?: string })?.name === name)
          return { collection, id, change: 'deleted', entry };
    return undefined;
  }

  #gather(): Map<string, RowWrite[]> {
    const writes = new Map<string, RowWrite[]>();
    for (const entry of this.#entries())
      for (const edit of editsOf(entry)) {
        const known = writes.get(edit.id);
        if (known) known.push({ ...edit, entry });
        else writes.set(edit.id, [{ ...edit, entry }]);
      }
    return writes;
  }
}
