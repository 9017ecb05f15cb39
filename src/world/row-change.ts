import type { Collection } from './schema.ts';
import type { RowBase } from './seed.ts';

/** A row before and after a unit of work. */
export interface RowChange {
  collection: Collection;
  id: string;
  /** Where it stands in its table; where it stood, when it is gone. */
  position: number;
  before: RowBase | undefined;
  after: RowBase | undefined;
}
