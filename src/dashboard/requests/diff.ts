import type { JournalEntry } from '../../client/control.ts';

type Step = JournalEntry['changes'][number];

/** One member of a row. Without `before` it is new, without `after` it is gone. */
export interface DiffLine {
  /** Such as `metadata.plan`. */
  member: string;
  before: string | undefined;
  after: string | undefined;
}

export interface ChangedRow {
  collection: string;
  id: string;
  change: 'added' | 'removed' | 'changed';
  lines: DiffLine[];
}

/** The steps of the patch by row. */
export function diffOf(steps: readonly Step[]): ChangedRow[] {
  const rows = new Map<string, ChangedRow>();
  for (const step of steps) {
    const [, collection = '', id = '', ...names] = step.path.split('/').map(unescapePointer);
    const key = `${collection} ${id}`;
    const isWhole = names.length === 0 && step.op !== 'replace';
    const change = isWhole ? (step.op === 'add' ? 'added' : 'removed') : 'changed';
    const row = rows.get(key) ?? { collection, id, change, lines: [] };
    row.lines.push(...(isWhole ? linesOfRow(step) : [lineOfMember(names, step)]));
    rows.set(key, row);
  }
  return [...rows.values()];
}

/** One line for each member of a row that was added or removed. */
function linesOfRow({ value, before }: Step): DiffLine[] {
  const row = value ?? before;
  if (typeof row !== 'object' || row === null) return [{ member: '', ...textsOf({ value, before }) }];
  return Object.entries(row).map(([member, each]) => ({
    member,
    ...textsOf(value === undefined ? { before: each } : { value: each }),
  }));
}

const lineOfMember = (names: readonly string[], step: Step): DiffLine => ({
  // `-` stands for the end of a list.
  member: names.filter((name) => name !== '-').join('.'),
  ...textsOf(step),
});

const textsOf = ({ value, before }: { value?: unknown; before?: unknown }) => ({
  before: before === undefined ? undefined : JSON.stringify(before, null, 2),
  after: value === undefined ? undefined : JSON.stringify(value, null, 2),
});

export const unescapePointer = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');
