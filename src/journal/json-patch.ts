import { isObject } from '@understudy/text/json';
import type { RowChange } from '../state/env.ts';

/**
 * One operation of a JSON patch (RFC 6902). The document is the state: rows by id in collections by name. RFC 6902 has
 * no `before`, and its readers ignore members that they do not know.
 */
export interface PatchStep {
  op: 'add' | 'remove' | 'replace';
  /** For example `/organizations/org_1/display_name`. */
  path: string;
  value?: unknown;
  /** The old value; absent for `add`. */
  before?: unknown;
}

/** The patch from the rows before to the rows after. */
export const patchOf = (changes: readonly RowChange[]): PatchStep[] =>
  changes.flatMap(({ collection, id, before, after }) =>
    difference(`/${collection}/${escape(id)}`, before, after),
  );

function difference(path: string, before: unknown, after: unknown): PatchStep[] {
  if (before === undefined) return after === undefined ? [] : [{ op: 'add', path, value: after }];
  if (after === undefined) return [{ op: 'remove', path, before }];
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      difference(`${path}/${escape(name)}`, own(before, name), own(after, name)),
    );
  }
  if (Array.isArray(before) && Array.isArray(after)) return listDifference(path, before, after);
  return Object.is(before, after) ? [] : [{ op: 'replace', path, value: after, before }];
}

const own = (object: Record<string, unknown>, name: string) =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** Compares element by element; surplus elements are added or removed at the end, the last first. */
function listDifference(path: string, before: readonly unknown[], after: readonly unknown[]): PatchStep[] {
  const shared = Math.min(before.length, after.length);
  const changed = before.slice(0, shared).flatMap((each, i) => difference(`${path}/${i}`, each, after[i]));
  const removed = before
    .slice(shared)
    .map((each, i) => ({ op: 'remove', path: `${path}/${shared + i}`, before: each }) as const);
  const added = after.slice(shared).map((value) => ({ op: 'add', path: `${path}/-`, value }) as const);
  return [...changed, ...removed.toReversed(), ...added];
}

const escape = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');
