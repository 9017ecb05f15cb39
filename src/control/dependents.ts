import type { Environment } from '../environment/environment.ts';
import { runInTurns, type Steps } from '../scenarios/steps.ts';
import type { Collection, RowChange } from '../state/env.ts';
import { COLLECTIONS } from '../state/schema.ts';
import { StreamReply } from './handler.ts';
import { PIECE, rowsInPieces } from './row-pieces.ts';

interface RowName {
  collection: Collection;
  id: string;
}

interface Dependents {
  deleted: RowName[];
  changed: RowName[];
}

/** The rows that a deletion deletes and changes besides the row, in the order of the collections. */
export async function dependentsOf(
  environment: Environment,
  wanted: RowName,
): Promise<Dependents | StreamReply> {
  const changes = await environment.foreseeRemoval(wanted.collection, wanted.id);
  const found = await runInTurns(inOrder(changes, wanted));
  const isLong = found.deleted.length + found.changed.length > PIECE;
  return isLong ? new StreamReply('application/json', dependentsInPieces(found)) : found;
}

function* inOrder(changes: readonly RowChange[], removed: RowName): Steps<Dependents> {
  const found = new Map(
    COLLECTIONS.map((name): [string, Dependents] => [name, { deleted: [], changed: [] }]),
  );
  for (const [index, { collection, id, before, after }] of changes.entries()) {
    if (index % PIECE === 0) yield;
    if (!before || (collection === removed.collection && id === removed.id)) continue;
    found.get(collection)![after ? 'changed' : 'deleted'].push({ collection, id });
  }
  const all = [...found.values()];
  return { deleted: all.flatMap((each) => each.deleted), changed: all.flatMap((each) => each.changed) };
}

async function* dependentsInPieces({ deleted, changed }: Dependents): AsyncGenerator<string> {
  yield '{"deleted":[';
  yield* rowsInPieces(deleted, (name) => name);
  yield '],"changed":[';
  yield* rowsInPieces(changed, (name) => name);
  yield ']}';
}
