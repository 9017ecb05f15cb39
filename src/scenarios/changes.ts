import type { Contract } from '../contract/contract.ts';
import { COLLECTIONS, TABLES } from '../state/schema.ts';
import type { Collection } from '../state/env.ts';
import { isObject, mergePatch } from '@understudy/text/json';
import { resolveTimes } from '@understudy/text/duration';
import { checkRowValues } from './condition-check.ts';
import type { Complaints } from './complaints.ts';
import { idPrefix, type Edit, type Members, type RowSelection } from './edits.ts';
import type { Path } from './path.ts';
import { breachIn, unknownRowMembers } from './breaches.ts';
import { withDefaults } from './row-defaults.ts';
import type { Steps } from './steps.ts';

/** State changes as the scenario file has them: edits by collection. */
export type WrittenChanges = Partial<Record<Collection, WrittenEdit[]>>;

/** In the order of the text. Reads the edits whose format is valid. */
export function* readChanges(
  written: WrittenChanges | undefined,
  at: Path,
  control: Contract,
  complaints: Complaints,
): Steps<Edit[]> {
  const edits: Edit[] = [];
  const collections = Object.keys(isObject(written) ? written : {}) as Collection[];
  for (const collection of collections.filter((each) => COLLECTIONS.includes(each)))
    for (const [index, edit] of elements(written?.[collection])) {
      yield;
      edits.push(...readEdit(edit, [...at, collection, index], { collection, control }, complaints));
    }
  return edits;
}

/** Empty if the parameters leave the edit out. */
function readEdit(
  edit: WrittenEdit,
  place: Path,
  { collection, control }: { collection: Collection; control: Contract },
  complaints: Complaints,
): Edit[] {
  const templates = complaints.templatesIn(place);
  checkEdit(edit, place, { collection, control }, complaints);
  if (templates.length > 0) checkRowValues(edit, templates, { at: place, control }, complaints);
  if (complaints.isLeftOut(place)) return [];
  const { if_given: _, unless_given: __, ...written } = edit;
  const read = { collection, ...written, place: complaints.placeOf(place) };
  return [(templates.length > 0 ? { ...read, templates } : read) as Edit];
}

/** The elements that are objects, with their indexes. */
export const elements = <T>(list: readonly T[] | undefined): [number, T][] =>
  Array.isArray(list) ? [...(list as T[]).entries()].filter(([, element]) => isObject(element)) : [];

/** An edit as the scenario file has it. */
interface WrittenEdit {
  if_given?: string | string[];
  unless_given?: string | string[];
  for?: RowSelection;
  optional?: boolean;
  match?: Members;
  set?: Members;
  insert?: Members;
  delete?: { match: Members };
}

interface RowContext {
  readonly collection: Collection;
  readonly control: Contract;
}

/** Complains of members that the rows do not have and of invalid values. */
function checkEdit(edit: WrittenEdit, at: Path, rows: RowContext, complaints: Complaints): void {
  const { match, set, insert, delete: removal, for: source, optional } = edit;
  for (const [name, wanted] of Object.entries(isObject(source) ? source : {})) {
    const collection = COLLECTIONS.find((each) => each === name);
    if (collection && isObject(wanted))
      checkMembers(wanted, [...at, 'for', name], { ...rows, collection }, complaints);
  }
  if (optional !== undefined && insert)
    complaints.add(
      [...at, 'optional'],
      'goes only with set or delete; an insert with a match adds its row only if no row matches',
      'key',
    );
  if (match) checkMembers(match, [...at, 'match'], rows, complaints);
  if (set) checkChange(set, [...at, 'set'], rows, complaints);
  if (insert) checkRow(insert, [...at, 'insert'], rows, complaints);
  if (!isObject(removal)) return;
  if (removal.match) checkMembers(removal.match, [...at, 'delete', 'match'], rows, complaints);
  if (rows.collection === 'settings')
    complaints.add([...at, 'delete'], 'there must be one row of settings', 'key');
}

function checkChange(set: Members, at: Path, rows: RowContext, complaints: Complaints): void {
  if ('id' in set) complaints.add([...at, 'id'], 'the id of a row cannot be changed', 'key');
  const { id: _, ...others } = set;
  checkMembers(others, at, rows, complaints);
}

/** A part of a row, so nothing is missing. */
function checkMembers(members: Members, at: Path, rows: RowContext, complaints: Complaints): void {
  checkValues(mergePatch({}, members), at, rows, { complaints, isPart: true });
  complainUnknown(members, at, rows, complaints);
}

function checkRow(row: Members, at: Path, rows: RowContext, complaints: Complaints): void {
  const { control, collection } = rows;
  const prefix = idPrefix(control, collection);
  const id = prefix === undefined ? {} : { id: `${prefix}_10000000000000001` };
  const whole = withDefaults({ ...id, ...row }, collection, { control, now: 0 });
  checkValues(whole, at, rows, { complaints, isPart: false });
  complainUnknown(row, at, rows, complaints);
}

function checkValues(
  value: unknown,
  at: Path,
  { collection, control }: RowContext,
  { complaints, isPart }: { complaints: Complaints; isPart: boolean },
): void {
  const name = TABLES[collection].schema;
  const schema = control.schemaNamed(name)!;
  for (const complaint of control.checkSchema(name, resolveTimes(value, 0))) {
    const { errorCode } = complaint;
    if (errorCode === 'additionalProperties' || (isPart && errorCode === 'required')) continue;
    const { path, message } = breachIn(complaint, value, schema, control);
    complaints.add([...at, ...path], message);
  }
}

function complainUnknown(
  value: unknown,
  at: Path,
  { collection, control }: RowContext,
  complaints: Complaints,
): void {
  const { noun, schema } = TABLES[collection];
  for (const { path, message } of unknownRowMembers(value, control.schemaNamed(schema)!, control, () => noun))
    complaints.add([...at, ...path], message, 'key');
}
