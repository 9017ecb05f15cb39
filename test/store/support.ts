import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Collections, Commit, Row } from '../../src/store/change-log.ts';
import type { EnvironmentLog, Store } from '../../src/store/storage.ts';
import { openFolder } from '../../src/store/store.ts';

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'store-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const failOnWarning = (message: string): never => {
  throw new Error(`unexpected warning: ${message}`);
};

export async function openStore(
  folder: string,
  warn: (message: string) => void = failOnWarning,
): Promise<Store> {
  const store = await openFolder(folder, { warn });
  onTestFinished(() => store.close());
  return store;
}

/** A commit that inserts one organization. */
export const put = (id: string, display_name: string, marks: unknown = null): Commit => ({
  changes: [{ collection: 'organizations', id, row: { id, display_name } }],
  marks,
});

export const gone = (id: string, marks: unknown = null): Commit => ({
  changes: [{ collection: 'organizations', id, row: null }],
  marks,
});

/** The rows of an opened environment: its snapshot, then its log. */
export function rowsOf({ snapshot, commits }: Pick<EnvironmentLog, 'snapshot' | 'commits'>): Collections {
  return applied(snapshot?.collections ?? {}, ...commits);
}

export function applied(before: Collections, ...commits: readonly Commit[]): Collections {
  let tables = toTables(before);
  for (const { base, changes } of commits) {
    if (base) tables = toTables(base === 'fixture' ? {} : base);
    for (const { collection, id, row } of changes) {
      const table = tables.get(collection) ?? new Map<string, Row>();
      if (row) table.set(id, row);
      else table.delete(id);
      tables.set(collection, table);
    }
  }
  return Object.fromEntries([...tables].map(([name, table]) => [name, [...table.values()]]));
}

function toTables(collections: Collections): Map<string, Map<string, Row>> {
  const tables = Object.entries(collections);
  return new Map(tables.map(([name, rows]) => [name, new Map(rows.map((row) => [row.id, row]))]));
}
