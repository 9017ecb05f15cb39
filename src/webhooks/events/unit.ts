import { isDeepStrictEqual } from 'node:util';
import type { RowChange, Env } from '../../environment/env.ts';
import { forgetting, plain } from '../../environment/rows/cascade.ts';
import type { Collection, Rows } from '../../environment/rows/schema.ts';

/** One row of a unit of work, before and after it. */
export interface ChangeOf<C extends Collection> {
  before: Rows[C] | undefined;
  after: Rows[C] | undefined;
}

/** What a unit of work has changed, for whoever tells of it: rows that are gone can still be looked at. */
export class Unit {
  readonly env: Env;
  readonly #before: ReadonlyMap<string, RowChange>;

  constructor(env: Env, changes: readonly RowChange[]) {
    this.env = env;
    this.#before = new Map(changes.map((change) => [`${change.collection} ${change.id}`, change]));
  }

  /** As it is, or was when this unit took it away. */
  find<C extends Collection>(collection: C, id: string | undefined): Rows[C] | undefined {
    if (id === undefined) return undefined;
    const there = plain(this.env, collection).find(id) as Rows[C] | undefined;
    return there ?? (this.#before.get(`${collection} ${id}`)?.before as Rows[C] | undefined);
  }

  /** What this unit has done to the rows of a collection. */
  changed<C extends Collection>(collection: C): ChangeOf<C>[] {
    const all = [...this.#before.values()].filter((change) => change.collection === collection);
    return all as unknown as ChangeOf<C>[];
  }

  /** Whether it was not there before this unit. */
  made(collection: Collection, id: string): boolean {
    const change = this.#before.get(`${collection} ${id}`);
    return change?.before === undefined && change?.after !== undefined;
  }

  /** Whether this unit took it away: what went with it is not told of by itself. */
  removed(collection: Collection, id: string | undefined): boolean {
    const change = this.#before.get(`${collection} ${id}`);
    return change?.before !== undefined && change.after === undefined;
  }

  /** Whether a row was changed for its own sake: one that has only forgotten what this unit took away was not. */
  isOwn({ collection, before, after }: RowChange): boolean {
    if (!before || !after) return before !== after;
    return !isDeepStrictEqual(
      forgetting(collection, before, (...row) => this.removed(...row)),
      after,
    );
  }
}

/** What has become of a row, as far as those who hear of it can see. */
export function verbOf<R>(
  { before, after }: { before: R | undefined; after: R | undefined },
  shown: (row: R) => unknown,
): 'created' | 'updated' | 'deleted' | undefined {
  if (!after) return before && 'deleted';
  if (!before) return 'created';
  return isDeepStrictEqual(shown(before), shown(after)) ? undefined : 'updated';
}
