import { anyTable, removeRow, TABLES } from './schema.ts';
import type { RowBase } from '../rows/positions.ts';
import type { Tables, Collection } from './env.ts';

type AnyTable = ReturnType<typeof anyTable>;

type TrimPolicy = 'oldest' | 'over first' | 'over only';

/** Extra rows removed in one unit of work, so that a fixture with too many rows costs no single call much. */
const EXTRA_ROWS_AT_ONCE = 100;

const policyOf = (collection: Collection): TrimPolicy | undefined =>
  (TABLES[collection] as { history?: TrimPolicy }).history;

interface HistorySettings {
  environment: string;
  /** Rows that each collection keeps. */
  limit: number;
  warn: (line: string) => void;
}

/** Limits the collections that grow with the calls: the oldest rows are removed first. */
export class Histories {
  readonly #settings: HistorySettings;
  /** Collections that have lost rows which were not over. */
  readonly #cut = new Set<Collection>();

  constructor(settings: HistorySettings) {
    this.#settings = settings;
  }

  /** Removes surplus rows within the unit of work. `written`: number of writes by collection. */
  trim(tables: Tables, written: ReadonlyMap<Collection, number>): void {
    const { limit } = this.#settings;
    for (const [collection, writes] of written) {
      const policy = policyOf(collection);
      if (policy === undefined) continue;
      const surplus = Math.min(anyTable(tables, collection).count() - limit, writes + EXTRA_ROWS_AT_ONCE);
      if (trim(tables, collection, surplus, policy) > 0) this.#warn(collection);
    }
  }

  /** Warns once for each collection. */
  #warn(collection: Collection): void {
    if (this.#cut.has(collection)) return;
    this.#cut.add(collection);
    const { environment, limit, warn } = this.#settings;
    const full = `${collection} of environment ${environment} has ${limit} rows that are not over`;
    warn(`${full}: the oldest of them goes with each new row (--history ${limit})`);
  }
}

/** Returns how many of the removed rows were not over. */
function trim(tables: Tables, collection: Collection, surplus: number, policy: TrimPolicy): number {
  const table = anyTable(tables, collection);
  let unfinished = 0;
  for (let left = surplus; left > 0; left -= 1) {
    const over = policy === 'oldest' ? undefined : oldestRowThatIsOver(table);
    if (!over && policy === 'over only') break;
    const row = over ?? firstRow(table);
    if (!row) break;
    if (!over && policy === 'over first') unfinished += 1;
    removeRow(tables, collection, row.id);
  }
  return unfinished;
}

/** Never the newest row of the table, even if no other row is over. */
function oldestRowThatIsOver(table: AnyTable): RowBase | undefined {
  const row = firstRow(table, 'over', 'yes');
  const [latest] = table.bucket().descending();
  return row && table.positionOf(row.id) !== latest ? row : undefined;
}

function firstRow(table: AnyTable, index?: string, key?: string): RowBase | undefined {
  for (const position of table.bucket(index, key).ascending()) return table.at(position);
  return undefined;
}
