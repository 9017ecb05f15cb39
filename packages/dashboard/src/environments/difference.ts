import type { State } from '@understudy/client/control';
import { changesBetween } from '../state/merge.ts';

type Row = Record<string, unknown> & { id: string };

/** A member that differs. Without `left` only the right side has it. */
interface DifferingMember {
  name: string;
  left: unknown;
  right: unknown;
}

export interface DifferingRow {
  collection: string;
  id: string;
  change: 'added' | 'removed' | 'changed';
  /** What people call the row. */
  name: string;
  members: readonly DifferingMember[];
}

/** What turns the left rows into the right ones, in the order of the collections. */
export function differences(left: State, right: State): DifferingRow[] {
  const collections = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return collections.flatMap((collection) =>
    ofCollection(collection, rowsOf(left, collection), rowsOf(right, collection)),
  );
}

const rowsOf = (state: State, collection: string) =>
  new Map(((state as Record<string, Row[] | undefined>)[collection] ?? []).map((row) => [row.id, row]));

function ofCollection(
  collection: string,
  left: ReadonlyMap<string, Row>,
  right: ReadonlyMap<string, Row>,
): DifferingRow[] {
  const found: DifferingRow[] = [];
  const note = (change: DifferingRow['change'], row: Row, members: readonly DifferingMember[]) =>
    found.push({ collection, id: row.id, change, name: nameOf(row), members });
  for (const [id, row] of left) {
    const other = right.get(id);
    if (!other) note('removed', row, membersOf(row, {}));
    else if (JSON.stringify(row) !== JSON.stringify(other)) note('changed', other, membersOf(row, other));
  }
  for (const [id, row] of right) if (!left.has(id)) note('added', row, membersOf({}, row));
  return found;
}

function membersOf(left: Record<string, unknown>, right: Record<string, unknown>): DifferingMember[] {
  return changesBetween(left, right).map(({ path, value }) => ({
    name: path.join('.'),
    left: path.reduce<unknown>((inner, step) => (inner as Record<string, unknown> | undefined)?.[step], left),
    right: value,
  }));
}

const nameOf = ({ display_name, name, email, identifier }: Record<string, unknown>): string =>
  [display_name, name, email, identifier].find((each): each is string => typeof each === 'string') ?? '';
