import { plain } from '../world/cascade.ts';
import type { RowChange } from '../world/row-change.ts';
import type { Collection, Rows } from '../world/schema.ts';
import type { World } from '../world/world.ts';

/** One row of a unit of work, before and after it. */
export interface ChangeOf<C extends Collection> {
  before: Rows[C] | undefined;
  after: Rows[C] | undefined;
}

/** What a unit of work has changed, for whoever tells of it: rows that are gone can still be looked at. */
export class Unit {
  readonly world: World;
  readonly #before: ReadonlyMap<string, RowChange>;

  constructor(world: World, changes: readonly RowChange[]) {
    this.world = world;
    this.#before = new Map(changes.map((change) => [`${change.collection} ${change.id}`, change]));
  }

  /** As it is, or was when this unit took it away. */
  find<C extends Collection>(collection: C, id: string | undefined): Rows[C] | undefined {
    if (id === undefined) return undefined;
    const there = plain(this.world, collection).find(id) as Rows[C] | undefined;
    return there ?? (this.#before.get(`${collection} ${id}`)?.before as Rows[C] | undefined);
  }

  /** Whether this unit took it away: what went with it is not told of by itself. */
  removed(collection: Collection, id: string | undefined): boolean {
    const change = this.#before.get(`${collection} ${id}`);
    return change?.before !== undefined && change.after === undefined;
  }
}
