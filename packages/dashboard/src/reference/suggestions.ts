import type { Collection } from '@understudy/client/control';
import type { ReferenceOperation } from '../server/reference/shapes.ts';
import { plainText } from '@understudy/text/json';
import { environment } from '../session.ts';
import type { Given } from './sample.ts';

/** A row whose id a path variable may take. */
export interface SuggestedId {
  id: string;
  name: string;
}

const MOST = 20;
const NAMES = ['display_name', 'name', 'email', 'identifier', 'description'];

/** The first rows of the environment that fit each variable of the path: `/users/{id}` takes ids of `users`. */
export async function suggestIds({
  document,
  addresses,
}: ReferenceOperation): Promise<Record<string, SuggestedId[]>> {
  if (document === 'control') return {};
  const { state } = environment.value;
  const known = await state.counts();
  const wanted = Array.from(
    addresses[0]!.path.matchAll(/\/([\w-]+)\/\{(\w+)\}/g),
    ([, segment = '', name = '']) => ({ name, collection: segment.replaceAll('-', '_') }),
  ).filter(({ collection }) => Object.hasOwn(known, collection));
  const found = wanted.map(async ({ name, collection }) => {
    const rows = await state.list(collection as Collection, { limit: MOST });
    return [name, rows.map((row) => suggestedOf(row as Record<string, unknown>))] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

const suggestedOf = (row: Record<string, unknown>): SuggestedId => ({
  id: plainText(row['id']),
  name: plainText(NAMES.map((each) => row[each]).find((value) => value !== undefined) ?? ''),
});

/** The first suggestion of each variable that has no value yet. */
export const withFirst = (given: Given, suggested: Readonly<Record<string, SuggestedId[]>>): Given => ({
  ...Object.fromEntries(
    Object.entries(suggested).flatMap(([name, [first]]) => (first ? [[name, first.id]] : [])),
  ),
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')),
});
