import { isObject } from '@understudy/text/json';

/** Rows are frozen; a write replaces the object. */
export type Row = { readonly id: string } & Readonly<Record<string, unknown>>;

/** The row after the commit; `null`: the row was removed. */
export type Change = { collection: string; id: string; row: Row | null };

export type Collections = Record<string, readonly Row[]>;

export interface Commit {
  /** What the changes start from, if not the previous commit: the fixture, or these rows. */
  base?: 'fixture' | Collections;
  changes: readonly Change[];
  /** Generators and clock after the commit, opaque to the store. */
  marks: unknown;
  /** The parts that the commit has reset, for other processes; a folder has none. */
  reset?: readonly string[];
}

/** The message is one line for the user. */
export class StoreError extends Error {
  override readonly name = 'StoreError';

  static from(where: string, thrown: unknown): StoreError {
    if (thrown instanceof StoreError) return thrown;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return new StoreError(`${where}: ${reason}`, { cause: thrown });
  }
}

/** The store cannot be used now, or somebody else uses this part of it; later it may be possible. */
export class StoreUnavailable extends StoreError {
  /** Seconds after which another try makes sense. */
  readonly retryAfter = 1;
}

/** Another process has changed the environment first: what waits to be stored was taken back, and may run again. */
export class Overtaken extends StoreUnavailable {}

/** What is wrong with a parsed value, and where. */
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

export type Path = readonly (string | number)[];
