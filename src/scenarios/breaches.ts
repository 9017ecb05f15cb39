import type { Operation } from '../contract/compiled.ts';
import type { Complaints } from './complaints.ts';
import type { Path } from './path.ts';
import type { Steps } from './steps.ts';

/** How a part of a rule breaks the contract of one operation. */
export interface ContractBreach {
  path: Path;
  reason: string;
  part?: 'key';
}

/** Complains once of each breach and names the operations that share it. */
export function* complainOfBreaches(
  operations: readonly Operation[],
  find: (operation: Operation) => readonly ContractBreach[],
  at: Path,
  complaints: Complaints,
): Steps<void> {
  const found = new Map<string, { breach: ContractBreach; ids: string[] }>();
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
