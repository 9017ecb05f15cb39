import type { Contract } from '@understudy/core/contract/contract';
import { FixtureError } from '@understudy/core/fixtures/fixture-error';
import { stateBreaches } from '@understudy/core/scenarios/breaches';
import { NOWHERE } from '@understudy/core/scenarios/complaints';
import { withDefaultsInState } from '@understudy/core/scenarios/row-defaults';
import {
  anyTable,
  danglingReferences,
  withoutReferences,
  COLLECTIONS,
  TABLES,
} from '@understudy/core/state/schema';
import { FixtureRows } from '@understudy/core/state/fixture-rows';
import type { Collection } from '@understudy/core/state/env';
import type { Tables } from '@understudy/core/state/env';
import type { Collections, Row } from '@understudy/core/store/change-log';
import type { PulledRow } from './pulled.ts';

export type Rows = Partial<Record<Collection, readonly PulledRow[]>>;

/** Rows that refer only to rows that are there, and what had to be left out, one line each. */
interface WholeRows {
  rows: Rows;
  left: string[];
}

/**
 * Leaves out what refers to rows that are missing, until nothing does: a row that is nothing without the other goes, and
 * any other row loses the reference.
 */
export function withoutDangling(given: Rows): WholeRows {
  const left: string[] = [];
  for (let rows = given; ;) {
    const before = left.length;
    const tables = new FixtureRows(rows as Collections).tables(() => {});
    const entries = COLLECTIONS.map(
      (collection) =>
        [
          collection,
          (rows[collection] ?? []).flatMap((row) => whole(tables, collection, row, left)),
        ] as const,
    );
    rows = Object.fromEntries(entries.filter(([, list]) => list.length > 0)) as Rows;
    if (left.length === before) return { rows, left };
  }
}

function whole(tables: Tables, collection: Collection, row: PulledRow, left: string[]): PulledRow[] {
  const dangling = danglingReferences(tables, collection, row);
  if (dangling.length === 0) return [row];
  const references = (TABLES[collection].references ?? {}) as Record<string, { onDelete: string }>;
  const isNeeded = ({ member }: { member: string }) => references[member]?.onDelete === 'cascade';
  const needed = dangling.find(isNeeded);
  const what = needed ? 'the row' : dangling.map(({ member }) => member).join(' and ');
  const { member, reason } = needed ?? dangling[0]!;
  left.push(`${collection} ${row.id}: ${what} is left out: ${member} ${reason}`);
  const isGone = (to: Collection, id: string) => anyTable(tables, to).find(id) === undefined;
  return needed ? [] : [withoutReferences(collection, row as Row, isGone) as PulledRow];
}

/** Throws FixtureError if a row is not as the contract says. */
export function checkRows(rows: Rows, control: Contract, file: string): void {
  const filled = withDefaultsInState(rows, { control, now: 0 });
  const place = { label: file, locate: NOWHERE };
  const mistakes = stateBreaches(filled, control).map((breach) => ({ ...breach, file: place }));
  FixtureError.throwIfAny(mistakes, 'command line');
}

/** One row per line, in the order of the collections. */
export function fixtureText(head: Readonly<Record<string, unknown>>, rows: Rows): string {
  const members = Object.entries(head).map(([name, value]) => `  "${name}": ${JSON.stringify(value)}`);
  const lists = COLLECTIONS.flatMap((collection) => {
    const lines = (rows[collection] ?? []).map((row) => `    ${JSON.stringify(row)}`);
    return lines.length > 0 ? [`  "${collection}": [\n${lines.join(',\n')}\n  ]`] : [];
  });
  return `{\n${[...members, ...lists].join(',\n')}\n}\n`;
}
