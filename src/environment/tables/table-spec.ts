import type { components } from '../../contract/control.gen.ts';
import type { Indexes, RowBase } from '../rows/table-seed.ts';

type Schemas = components['schemas'];
type State = Required<Schemas['State']>;

/** The row type of every collection, as openapi/rows.yaml describes it. */
export type Rows = { [K in keyof State]: State[K][number] };

export type Collection = keyof Rows;

/** A member that names rows of another table, and what becomes of the row when the named one goes. */
export interface Reference {
  readonly to: Collection;
  readonly onDelete: 'cascade' | 'forget' | 'keep';
  /** Callers choose the value freely: it may name a row that never was. */
  readonly loose?: true;
}

export interface TableSpec<T extends RowBase> {
  readonly noun: string;
  /** Name of the schema in openapi/rows.yaml. */
  readonly schema: keyof Schemas;
  readonly indexes: Indexes<T>;
  /** By member; each is an index too. A list of ids forgets the one that goes. */
  readonly references?: Readonly<Partial<Record<keyof T & string, Reference>>>;
  /**
   * It grows with the calls, so it keeps as many rows as the environment may have. Which go first: the oldest, or the
   * oldest of those under `yes` of the index `over`; `over only`: no others ever go.
   */
  readonly history?: 'oldest' | 'over first' | 'over only';
  /** When time alone changes the row, and how it is then. */
  readonly deadline?: { at(row: T): string | undefined; expired(row: T): T };
}

export type Tables = { readonly [K in Collection]: TableSpec<Rows[K]> };

/** The key of a row that nothing will happen to any more, in the index `over`. */
export const yesIf = (isOver: boolean): string | undefined => (isOver ? 'yes' : undefined);

/** The row goes when the named one goes. */
export const cascade = (to: Collection) => ({ to, onDelete: 'cascade' }) as const;
/** As `cascade`, but the value may name a row that never was. */
export const loose = (to: Collection) => ({ to, onDelete: 'cascade', loose: true }) as const;
/** The row stays, without the name. */
export const forget = (to: Collection) => ({ to, onDelete: 'forget' }) as const;
/** The row tells what was: it keeps the name of a row that is gone. */
export const history = (to: Collection) => ({ to, onDelete: 'keep', loose: true }) as const;
