import type { Contract } from '../contract/contract.ts';
import type { Entry } from '../journal/entry.ts';
import { putRow } from '../scenarios/edits.ts';
import { withDefaults } from '../scenarios/row-defaults.ts';
import type { Collection } from '../state/env.ts';
import { anyTable, TABLES } from '../state/schema.ts';
import { SET_UP } from '../state/units-of-work.ts';
import type { Place, Remedy } from './answer.ts';
import { collectionOf } from './rows.ts';

type Members = Readonly<Record<string, unknown>>;
type Maker = Place & { control: Contract };

/** Puts the row of this id back if a call has deleted it, or else creates one. Nothing if no such row could be stored. */
export function rowToCreate(entry: Entry, place: Maker): Remedy[] {
  const { noun, wanted: id } = entry.refusal?.why ?? {};
  const collection = noun === undefined ? undefined : collectionOf(noun, entry);
  if (!collection || id === undefined || anyTable(place.environment.tables, collection).has(id)) return [];
  const found = deletedRow(collection, id, entry, place) ?? newRow(collection, id, place);
  if (!found || !canBeStored(collection, id, found.row, place)) return [];
  const path = `/_control/v1/state/${collection}/${encodeURIComponent(id)}`;
  return [{ text: found.text, method: 'PUT', path, body: found.row }];
}

interface FoundRow {
  text: string;
  row: Members;
}

function deletedRow(
  collection: Collection,
  id: string,
  entry: Entry,
  { history }: Maker,
): FoundRow | undefined {
  const last = history.before(entry, id);
  if (last?.change !== 'deleted') return undefined;
  const deletion = last.entry.changes.find((each) => each.collection === collection && each.id === id);
  if (!deletion?.before) return undefined;
  const { id: _, ...row } = deletion.before as unknown as Members;
  return { text: `Put ${collection}/${id} back, as it was before ${last.entry.id} deleted it.`, row };
}

/** What a row needs beside its id, from the latest row of the collection. */
function newRow(
  collection: Collection,
  id: string,
  { environment: { tables, clock }, control }: Maker,
): FoundRow | undefined {
  const schema = control.schemaNamed(TABLES[collection].schema);
  const given = withDefaults({ id }, collection, { control, now: clock.now() });
  const missing = (schema?.required ?? []).filter((name) => given[name] === undefined);
  const model = anyTable(tables, collection).list().at(-1) as unknown as Members | undefined;
  if (missing.some((name) => SECRETS.test(name))) return undefined;
  const row = Object.fromEntries(missing.map((name) => [name, valueOf(name, id, model)]));
  return { text: `Create ${collection}/${id}.`, row };
}

/** Values that nobody can make up. */
const SECRETS = /token|secret|private_key|challenge|^code$/;

/** Names stay recognizable, and addresses differ from those of other rows. */
function valueOf(name: string, id: string, model: Members | undefined): unknown {
  if (name === 'email') return `${id.toLowerCase().replaceAll('_', '-')}@example.com`;
  if (name === 'name' || name === 'display_name') return id;
  return model?.[name];
}

function canBeStored(
  collection: Collection,
  id: string,
  row: Members,
  { environment, control }: Maker,
): boolean {
  try {
    environment.transact({ ...SET_UP, leavesNothing: true }, (env) =>
      putRow(env, control, collection, { ...row, id }),
    );
    return true;
  } catch {
    return false; // Then it is no remedy.
  }
}
