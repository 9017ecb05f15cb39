import type { Contract } from '../contract/contract.ts';
import { alreadyExists, ApiError, invalidArgument } from '../errors.ts';
import { danglingReferences, plain } from '../world/cascade.ts';
import { TABLES, type Collection } from '../world/schema.ts';
import type { World } from '../world/world.ts';
import { includes } from './matching.ts';
import { nearestRow } from './nearest-row.ts';
import { rowBreaches, violationsIn, type Breach } from './row-breaches.ts';
import { mergePatch, resolveTimes } from './row-values.ts';

export type Members = Readonly<Record<string, unknown>>;
type Row = Members & { readonly id: string };

/** A change to the rows of one collection. `place` is what a failure begins with: where the change is written. */
export type Edit = { readonly collection: Collection; readonly place?: string } & (
  | { readonly match: Members; readonly set: Members }
  | { readonly insert: Members }
  | { readonly delete: { readonly match: Members } }
);

/** Makes the changes in order, in the unit of work that `world` is of. Rows are described by the control contract. */
export function applyEdits(world: World, edits: readonly Edit[], control: Contract): void {
  for (const edit of edits) {
    try {
      apply(world, edit, control);
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || edit.place === undefined) throw thrown;
      throw new ApiError(thrown.failure, `${edit.place}: ${thrown.message}`, thrown.parts);
    }
  }
}

function apply(world: World, edit: Edit, control: Contract): void {
  const { collection } = edit;
  if ('insert' in edit) insertRow(world, control, collection, edit.insert);
  else if ('delete' in edit) {
    for (const { id } of findRows(world, collection, edit.delete.match)) removeOnce(world, collection, id);
  } else {
    const rows = findRows(world, collection, edit.match);
    for (const { id } of rows) patchRow(world, control, collection, id, edit.set);
  }
}

/** Puts a row, new or in the place of the one with its id. Throws `invalid_argument` for one that can't be. */
export function putRow(world: World, control: Contract, collection: Collection, row: Members): Row {
  const checked = check(world, control, collection, resolveTimes(row, world.clock.ms) as Members);
  const table = plain(world, collection);
  return table.find(checked.id) ? table.replace(checked) : table.insert(checked);
}

/** Changes members of a row by a JSON merge patch (RFC 7396). */
export function patchRow(
  world: World,
  control: Contract,
  collection: Collection,
  id: string,
  patch: Members,
): Row {
  const table = plain(world, collection);
  const row = mergePatch(table.get(id), resolveTimes(patch, world.clock.ms)) as Members;
  if (row['id'] !== id) throw invalidArgument(`${collection} ${id}: id: can't be changed`);
  return table.replace(check(world, control, collection, row));
}

/** What ids of a collection begin with; undefined where they are not generated. */
export function idPrefix(control: Contract, collection: Collection): string | undefined {
  const pattern = control.schemaNamed(TABLES[collection].schema)?.properties?.['id']?.pattern;
  return /^\^([a-z]+)_/.exec(pattern ?? '')?.[1];
}

function insertRow(world: World, control: Contract, collection: Collection, row: Members): void {
  const prefix = row['id'] === undefined ? idPrefix(control, collection) : undefined;
  const whole = prefix === undefined ? row : { id: world.draw.id(prefix), ...row };
  if (typeof whole['id'] === 'string' && plain(world, collection).find(whole['id'])) {
    throw alreadyExists(`${collection} ${whole['id']} is there already`);
  }
  putRow(world, control, collection, whole);
}

/** It may have gone with another one already. */
function removeOnce(world: World, collection: Collection, id: string): void {
  if (plain(world, collection).find(id)) world.remove(collection, id);
}

function findRows(world: World, collection: Collection, match: Members): Row[] {
  const rows = candidates(world, collection, match).filter((row) => includes(row, match));
  if (rows.length > 0) return rows;
  const hint = nearestRow(match, plain(world, collection).list());
  throw invalidArgument(`${collection}: no row matches ${JSON.stringify(match)}${hint}`);
}

/** By the id or by a reference, which is an index too, where the match has one; else every row. */
function candidates(world: World, collection: Collection, match: Members): Row[] {
  const table = plain(world, collection);
  if (typeof match['id'] === 'string') return [table.find(match['id'])].filter((row) => row !== undefined);
  const references = Object.keys(TABLES[collection].references ?? {});
  const index = references.find((member) => typeof match[member] === 'string');
  return index === undefined ? table.list() : table.list(index, String(match[index]));
}

/** Names everything that keeps the row from being stored. */
function check(world: World, control: Contract, collection: Collection, row: Members): Row {
  const broken = rowBreaches(row, collection, control);
  const breaches = broken.length > 0 ? broken : danglingBreaches(world, collection, row);
  if (breaches.length === 0) return row as Row;
  const id = typeof row['id'] === 'string' ? ` ${row['id']}` : '';
  const violations = violationsIn(breaches);
  const reasons = violations.map(({ field, description }) => `${field}: ${description}`.replace(/^: /, ''));
  throw new ApiError('invalid_argument', `${collection}${id}: ${reasons.join('; ')}`, { violations });
}

const danglingBreaches = (world: World, collection: Collection, row: Members): Breach[] =>
  danglingReferences(world, collection, { ...row }).map(({ member, reason }) => ({
    path: [member],
    message: reason,
    constraint: 'reference',
  }));
