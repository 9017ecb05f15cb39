import { isDeepStrictEqual } from 'node:util';
import type { RowChange, Env } from '../../state/env.ts';
import { withoutReferences, anyTable } from '../../state/cascade.ts';
import type { Collection, Rows } from '../../state/schema.ts';

/** One row before and after a unit of work. */
export interface ChangeOf<C extends Collection> {
  before: Rows[C] | undefined;
  after: Rows[C] | undefined;
}

/** The changes of a unit of work; deleted rows can still be read. */
export class UnitChanges {
  readonly env: Env;
  readonly #before: ReadonlyMap<string, RowChange>;

  constructor(env: Env, changes: readonly RowChange[]) {
    this.env = env;
    this.#before = new Map(changes.map((change) => [`${change.collection} ${change.id}`, change]));
  }

  /** The row as it is now, or as it was before this unit of work deleted it. */
  find<C extends Collection>(collection: C, id: string | undefined): Rows[C] | undefined {
    if (id === undefined) return undefined;
    const there = anyTable(this.env, collection).find(id) as Rows[C] | undefined;
    return there ?? (this.#before.get(`${collection} ${id}`)?.before as Rows[C] | undefined);
  }

  changed<C extends Collection>(collection: C): ChangeOf<C>[] {
    const all = [...this.#before.values()].filter((change) => change.collection === collection);
    return all as unknown as ChangeOf<C>[];
  }

  /** Whether this unit of work created the row. */
  created(collection: Collection, id: string): boolean {
    const change = this.#before.get(`${collection} ${id}`);
    return change?.before === undefined && change?.after !== undefined;
  }

  /** Whether this unit of work deleted the row; rows deleted in the same cascade cause no events of their own. */
  removed(collection: Collection, id: string | undefined): boolean {
    const change = this.#before.get(`${collection} ${id}`);
    return change?.before !== undefined && change.after === undefined;
  }

  /** False for a row that changed only because it referred to a deleted row, unless it left a deleted group. */
  isDirectChange({ collection, before, after }: RowChange): boolean {
    if (!before || !after) return before !== after;
    if (collection === 'directory_users') return true;
    return !isDeepStrictEqual(
      withoutReferences(collection, before, (...row) => this.removed(...row)),
      after,
    );
  }
}

/** Undefined if the change is not visible in `shown`. */
export function verbOf<R>(
  { before, after }: { before: R | undefined; after: R | undefined },
  shown: (row: R) => unknown,
): 'created' | 'updated' | 'deleted' | undefined {
  if (!after) return before && 'deleted';
  if (!before) return 'created';
  return isDeepStrictEqual(shown(before), shown(after)) ? undefined : 'updated';
}
