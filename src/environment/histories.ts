import { plain, removeRow } from './rows/cascade.ts';
import { TABLES, type Collection } from './rows/schema.ts';
import type { RowBase } from './rows/table-seed.ts';
import type { Tables } from './env.ts';

type AnyTable = ReturnType<typeof plain>;

type Policy = 'oldest' | 'over first' | 'over only';

/** So many rows go at once, besides as many as were written: a fixture may begin with far more than may stay. */
const MOST_AT_ONCE = 100;

const policyOf = (collection: Collection): Policy | undefined =>
  (TABLES[collection] as { history?: Policy }).history;

interface HistorySettings {
  environment: string;
  /** How many rows each of them keeps. */
  limit: number;
  warn: (line: string) => void;
}

/** The collections of one environment that grow with the calls: the oldest rows go first. */
export class Histories {
  readonly #settings: HistorySettings;
  /** Those that have lost rows which were not over. */
  readonly #cut = new Set<Collection>();

  constructor(settings: HistorySettings) {
    this.#settings = settings;
  }

  /** Takes away what is too much, as part of the work that has written. `written`: how often, by collection. */
  trim(tables: Tables, written: ReadonlyMap<Collection, number>): void {
    const { limit } = this.#settings;
    for (const [collection, writes] of written) {
      const policy = policyOf(collection);
      if (policy === undefined) continue;
      const surplus = Math.min(plain(tables, collection).count() - limit, writes + MOST_AT_ONCE);
      if (trim(tables, collection, surplus, policy) > 0) this.#warn(collection);
    }
  }

  /** Once: where one had to go, each further one has to. */
  #warn(collection: Collection): void {
    if (this.#cut.has(collection)) return;
    this.#cut.add(collection);
    const { environment, limit, warn } = this.#settings;
    const full = `${collection} of environment ${environment} has ${limit} rows that are not over`;
    warn(`${full}: the oldest of them goes with each new row (--history ${limit})`);
  }
}

/** How many of the rows that went were not over. */
function trim(tables: Tables, collection: Collection, surplus: number, policy: Policy): number {
  const table = plain(tables, collection);
  let unfinished = 0;
  for (let left = surplus; left > 0; left -= 1) {
    const over = policy === 'oldest' ? undefined : oldestOver(table);
    if (!over && policy === 'over only') break;
    const row = over ?? first(table);
    if (!row) break;
    if (!over && policy === 'over first') unfinished += 1;
    removeRow(tables, collection, row.id);
  }
  return unfinished;
}

/** The latest of all rows stays, though it may be the only one that is over. */
function oldestOver(table: AnyTable): RowBase | undefined {
  const row = first(table, 'over', 'yes');
  const [latest] = table.bucket().descending();
  return row && table.positionOf(row.id) !== latest ? row : undefined;
}

function first(table: AnyTable, index?: string, key?: string): RowBase | undefined {
  for (const position of table.bucket(index, key).ascending()) return table.at(position);
  return undefined;
}
