import type { Contract } from '../contract/contract.ts';
import { isObject } from '../json-object.ts';
import { COLLECTIONS, type Collection } from '../world/schema.ts';
import { checkRowValues } from './call-value-check.ts';
import type { Complaints } from './complaints.ts';
import { checkEdit, type WrittenEdit } from './edit-check.ts';
import type { Edit } from './edits.ts';
import type { Path } from './path.ts';
import type { Steps } from './steps.ts';

/** State changes as they are written: lists of edits, by collection. */
export type WrittenChanges = Partial<Record<Collection, WrittenEdit[]>>;

/** In the order of the text. Looks at those edits that have the right form. */
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

/** None where its parameters leave it out. */
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

/** Those elements of a list that are objects, as they should be, with their places in it. */
export const elements = <T>(list: readonly T[] | undefined): [number, T][] =>
  Array.isArray(list) ? [...(list as T[]).entries()].filter(([, element]) => isObject(element)) : [];
