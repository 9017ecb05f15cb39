import type { State } from '../../client/control.ts';

/** The collection of each beginning of an id, such as `org` → `organizations`. The first collection wins. */
export function collectionsByPrefix(state: State): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [collection, rows] of Object.entries(state) as [string, readonly { id: string }[]][]) {
    for (const { id } of rows.slice(0, 20)) {
      const prefix = prefixOf(id);
      if (prefix !== undefined && !found.has(prefix)) found.set(prefix, collection);
    }
  }
  return found;
}

/** The collection of the row that the value names, if it names one. */
export function collectionOf(value: unknown, prefixes: ReadonlyMap<string, string>): string | undefined {
  const prefix = typeof value === 'string' ? prefixOf(value) : undefined;
  return prefix === undefined ? undefined : prefixes.get(prefix);
}

const prefixOf = (id: string) => /^(?:[a-z0-9-]+\.)?([a-z0-9]+)_[0-9]+$/.exec(id)?.[1];
