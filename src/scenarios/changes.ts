import type { Contract } from '../contract/contract.ts';
import { isObject } from '../json-object.ts';
import { COLLECTIONS, type Collection } from '../world/schema.ts';
import type { Complaints, Path } from './complaints.ts';
import { checkEdit, type WrittenEdit } from './edit-check.ts';
import type { Edit } from './edits.ts';

/** State changes as they are written: lists of edits, by collection. */
export type WrittenChanges = Partial<Record<Collection, WrittenEdit[]>>;

/** In the order of the text. Looks at those edits that have the right form. */
export function readChanges(
  written: WrittenChanges | undefined,
  at: Path,
  control: Contract,
  complaints: Complaints,
): Edit[] {
  const collections = Object.keys(isObject(written) ? written : {}) as Collection[];
  return collections
    .filter((collection) => COLLECTIONS.includes(collection))
    .flatMap((collection) =>
      elements(written?.[collection]).map(([index, edit]) => {
        const place = [...at, collection, index];
        checkEdit(edit, place, { collection, control }, complaints);
        return { collection, ...edit, place: complaints.placeOf(place) } as Edit;
      }),
    );
}

/** Those elements of a list that are objects, as they should be, with their places in it. */
export const elements = <T>(list: readonly T[] | undefined): [number, T][] =>
  Array.isArray(list) ? [...(list as T[]).entries()].filter(([, element]) => isObject(element)) : [];
