import type { Contract } from '../contract/contract.ts';
import { isObject } from '../json-object.ts';
import { TABLES, type Collection } from '../world/schema.ts';
import { readPointer, type Complaints, type Path } from './complaints.ts';
import { idPrefix, type Members } from './edits.ts';
import { oneOf } from './format.ts';
import { schemaAt, unknownMembers } from './members.ts';
import { mergePatch, resolveTimes } from './row-values.ts';
import { suggest } from './suggestion.ts';

/** An edit as the format has it. */
export interface WrittenEdit {
  match?: Members;
  set?: Members;
  insert?: Members;
  delete?: { match: Members };
}

interface Rows {
  readonly collection: Collection;
  readonly control: Contract;
}

/** Complains of members that rows of the collection have not, and of values that they can't have. */
export function checkEdit(edit: WrittenEdit, at: Path, rows: Rows, complaints: Complaints): void {
  const { match, set, insert, delete: removal } = edit;
  if (match) checkMembers(match, [...at, 'match'], rows, complaints);
  if (set) checkChange(set, [...at, 'set'], rows, complaints);
  if (insert) checkRow(insert, [...at, 'insert'], rows, complaints);
  if (!isObject(removal)) return;
  if (removal.match) checkMembers(removal.match, [...at, 'delete', 'match'], rows, complaints);
  if (rows.collection === 'settings')
    complaints.add([...at, 'delete'], 'there must be one row of settings', 'key');
}

function checkChange(set: Members, at: Path, rows: Rows, complaints: Complaints): void {
  if ('id' in set) complaints.add([...at, 'id'], 'the id of a row can not be changed', 'key');
  const { id: _, ...others } = set;
  checkMembers(others, at, rows, complaints);
}

/** A part of a row: nothing is missing from it. */
function checkMembers(members: Members, at: Path, rows: Rows, complaints: Complaints): void {
  checkValues(mergePatch({}, members), at, rows, { complaints, isPart: true });
  complainUnknown(members, at, rows, complaints);
}

function checkRow(row: Members, at: Path, rows: Rows, complaints: Complaints): void {
  const prefix = idPrefix(rows.control, rows.collection);
  const id = prefix === undefined ? {} : { id: `${prefix}_10000000000000001` };
  checkValues({ ...id, ...row }, at, rows, { complaints, isPart: false });
  complainUnknown(row, at, rows, complaints);
}

function checkValues(
  value: unknown,
  at: Path,
  { collection, control }: Rows,
  { complaints, isPart }: { complaints: Complaints; isPart: boolean },
): void {
  const name = TABLES[collection].schema;
  const schema = control.schemaNamed(name)!;
  for (const { path: pointer, message, errorCode } of control.checkSchema(name, resolveTimes(value, 0))) {
    if (errorCode === 'additionalProperties' || (isPart && errorCode === 'required')) continue;
    const path = readPointer(pointer, value);
    const allowed = schemaAt(path, schema, control).enum;
    const reason = errorCode === 'enum' && allowed ? oneOf(allowed, valueAt(path, value)) : message;
    complaints.add([...at, ...path], reason);
  }
}

function complainUnknown(
  value: unknown,
  at: Path,
  { collection, control }: Rows,
  complaints: Complaints,
): void {
  const { noun, schema } = TABLES[collection];
  for (const { path, known } of unknownMembers(value, control.schemaNamed(schema)!, control)) {
    const name = String(path.at(-1));
    complaints.add([...at, ...path], `a row of ${noun} has no member ${name}${suggest(name, known)}`, 'key');
  }
}

const valueAt = (path: Path, value: unknown): unknown =>
  path.reduce<unknown>((inner, step) => (inner as Record<string | number, unknown>)[step], value);
