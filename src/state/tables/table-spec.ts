import type { components } from '../../contract/control.gen.ts';
import type { Indexes } from '../../rows/fixture-table.ts';
import type { RowBase } from '../../rows/positions.ts';
import type { Reference } from '../../rows/references.ts';

type Schemas = components['schemas'];
type State = Required<Schemas['State']>;

/** The row type of each collection, from openapi/rows.yaml. */
export type Rows = { [K in keyof State]: State[K][number] };

export type Collection = keyof Rows;

interface TableSpec<T extends RowBase> {
  readonly noun: string;
  readonly schema: keyof Schemas;
  /** Each reference has one of its name, too. */
  readonly indexes?: Indexes<T>;
  /** By member. */
  readonly references?: Readonly<Partial<Record<keyof T & string, Reference<Collection>>>>;
  /**
   * For collections that grow with the calls: which rows are removed when there are too many. `oldest`: the oldest;
   * `over first`: the oldest with the key `yes` in the index `over`, then the oldest; `over only`: no others.
   */
  readonly history?: 'oldest' | 'over first' | 'over only';
  /** When time changes the row, and the row after that. */
  readonly deadline?: { at(row: T): string | undefined; expired(row: T): T };
}

export type Tables = { readonly [K in Collection]: TableSpec<Rows[K]> };

/** The key for the index `over`: rows that nothing will change any more. */
export const yesIf = (isOver: boolean): string | undefined => (isOver ? 'yes' : undefined);

/** Removes the row with the row that it refers to. */
export const cascade = (to: Collection) => ({ to, onDelete: 'cascade' }) as const;
/** Like `cascade`, but the value may refer to a row that never existed. */
export const loose = (to: Collection) => ({ to, onDelete: 'cascade', loose: true }) as const;
/** Keeps the row, without the id. */
export const forget = (to: Collection) => ({ to, onDelete: 'forget' }) as const;
/** Keeps the row and the id: the row records the past. */
export const history = (to: Collection) => ({ to, onDelete: 'keep', loose: true }) as const;
