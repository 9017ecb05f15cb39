import { isObject } from '../json-object.ts';
import type { Path } from './json-scanner.ts';

/** Where a parsed value is not what it should be, and how. */
export interface Flaw {
  path: Path;
  problem: string;
}

export function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

export function flawInCollections(collections: Record<string, unknown>): Flaw | undefined {
  for (const [name, rows] of Object.entries(collections)) {
    const flaw = Array.isArray(rows)
      ? flawInRows(name, rows)
      : { path: [name], problem: `"${name}" is not a list` };
    if (flaw) return flaw;
  }
  return undefined;
}

function flawInRows(name: string, rows: readonly unknown[]): Flaw | undefined {
  const ids = new Set<string>();
  for (const [index, row] of rows.entries()) {
    if (!isObject(row) || typeof row.id !== 'string')
      return { path: [name, index], problem: 'row without an id' };
    if (ids.has(row.id))
      return { path: [name, index], problem: `id "${row.id}" is there twice in "${name}"` };
    ids.add(row.id);
  }
  return undefined;
}

export function flawInCommit(commit: Record<string, unknown>): Flaw | undefined {
  const { base, changes } = commit;
  if (!Array.isArray(changes)) return { path: ['changes'], problem: 'commit without a list of changes' };
  const wrong = changes.findIndex((change) => !isChange(change));
  if (wrong >= 0) return { path: ['changes', wrong], problem: 'change without collection, id and row' };
  if (base === undefined || base === 'fixture') return undefined;
  if (!isObject(base)) return { path: ['base'], problem: 'base is neither "fixture" nor collections' };
  const flaw = flawInCollections(base);
  return flaw && { ...flaw, path: ['base', ...flaw.path] };
}

function isChange(change: unknown): boolean {
  if (!isObject(change) || typeof change.collection !== 'string' || typeof change.id !== 'string')
    return false;
  return change.row === null || (isObject(change.row) && change.row.id === change.id);
}
