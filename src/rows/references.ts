import type { RowBase } from './positions.ts';
import type { Table } from './table.ts';

/** A member that refers to rows of another table, and what happens when such a row is removed. */
export interface Reference<C extends string = string> {
  readonly to: C;
  /** A removed id is taken out of a list of ids if the reference is forgotten. */
  readonly onDelete: 'cascade' | 'forget' | 'keep';
  /** The value may refer to a row that never existed. */
  readonly loose?: true;
}

/** The references of each table, by member. Each member has an index of its name. */
type ReferencesOf<C extends string> = {
  readonly [K in C]: { readonly references?: Readonly<Partial<Record<string, Reference<C>>>> };
};

type AnyTable = Table<RowBase & Record<string, unknown>>;

export type AnyTables<C extends string> = Readonly<Record<C, AnyTable>>;

/** A member that refers to a missing row. */
export interface DanglingReference {
  member: string;
  reason: string;
}

/** The references between the tables of one database. */
export class References<C extends string> {
  readonly #from = new Map<C, readonly (readonly [member: string, reference: Reference<C>])[]>();
  /** Only those that do something when a row is removed. */
  readonly #to = new Map<C, { collection: C; member: string; onDelete: 'cascade' | 'forget' }[]>();

  constructor(tables: ReferencesOf<C>) {
    const collections = Object.keys(tables) as C[];
    for (const collection of collections) this.#to.set(collection, []);
    for (const collection of collections) {
      const references = Object.entries(tables[collection].references ?? {}) as [string, Reference<C>][];
      this.#from.set(collection, references);
      for (const [member, { to, onDelete }] of references)
        if (onDelete !== 'keep') this.#to.get(to)!.push({ collection, member, onDelete });
    }
  }

  /** Removes a row, in small steps. Rows that refer to it are removed or lose the reference. */
  *remove(tables: AnyTables<C>, collection: C, id: string): Generator<undefined, void, undefined> {
    tables[collection].remove(id);
    yield;
    for (const { collection: from, member, onDelete } of this.#to.get(collection)!) {
      for (const row of tables[from].list(member, id)) {
        if (onDelete === 'cascade') yield* this.remove(tables, from, row.id);
        else tables[from].update(row.id, { [member]: withoutIds(row[member], new Set([id])) });
        yield;
      }
    }
  }

  /** The row without its references to removed rows, as `remove` leaves it. */
  without(collection: C, row: RowBase, isGone: (collection: C, id: string) => boolean): object {
    const left: Record<string, unknown> = { ...row };
    for (const [member, { to, onDelete }] of this.#from.get(collection)!) {
      if (onDelete !== 'forget') continue;
      const gone = idsIn(left[member]).filter((id) => isGone(to, id));
      if (gone.length > 0) left[member] = withoutIds(left[member], new Set(gone));
      if (left[member] === undefined) delete left[member];
    }
    return left;
  }

  dangling(tables: AnyTables<C>, collection: C, row: Record<string, unknown>): DanglingReference[] {
    return this.#from.get(collection)!.flatMap(([member, { to, loose }]) => {
      if (loose) return [];
      return idsIn(row[member])
        .filter((id) => !tables[to].find(id))
        .map((id) => ({ member, reason: `names ${id}, and ${to} has no such row` }));
    });
  }
}

/** A member refers to one row, to several or to none. */
const idsIn = (value: unknown): string[] =>
  [value].flat().filter((id): id is string => typeof id === 'string');

const withoutIds = (value: unknown, ids: ReadonlySet<unknown>) =>
  Array.isArray(value) ? value.filter((each) => !ids.has(each)) : undefined;
