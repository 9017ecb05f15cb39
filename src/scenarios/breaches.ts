import type { Operation } from '../contract/compiled.ts';
import type { Complaints } from './complaints.ts';
import type { Path } from './path.ts';
import type { Steps } from './steps.ts';

/** How a part of a rule breaks what one operation promises. */
export interface Breach {
  path: Path;
  reason: string;
  part?: 'key';
}

/** Complains of everything that any operation of the rule does not promise: once, for all that share it. */
export function* complainOfBreaches(
  operations: readonly Operation[],
  find: (operation: Operation) => readonly Breach[],
  at: Path,
  complaints: Complaints,
): Steps<void> {
  const found = new Map<string, { breach: Breach; ids: string[] }>();
  for (const operation of operations) {
    yield;
    for (const breach of find(operation)) {
      const key = JSON.stringify([breach.path, breach.reason]);
      const known = found.get(key) ?? { breach, ids: [] };
      known.ids.push(operation.id);
      found.set(key, known);
    }
  }
  for (const { breach, ids } of found.values()) {
    const { path, reason, part } = breach;
    complaints.add([...at, ...path], `${formatIds(ids)}: ${reason}`, part);
  }
}

const formatIds = (ids: readonly string[]) =>
  ids.length > 3 ? `${ids.slice(0, 2).join(', ')} and ${ids.length - 2} more` : ids.join(', ');
