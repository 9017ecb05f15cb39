import { computed } from '@preact/signals';
import type { RequestPage } from '@understudy/client/control';
import { unchecked } from '@understudy/core/contract/name-patterns';
import { changeQuery, href, hrefIn, route, withQuery } from '../route.ts';

/** What the list of calls shows, as its address says. */
const NAMES = [
  'contains',
  'operation',
  'status',
  'protocol',
  'method',
  'path',
  'caller',
  'sort',
  'reverse',
  'all',
] as const;

type Name = (typeof NAMES)[number];
export type CallFilter = Readonly<Partial<Record<Name, string>>>;

export type SortedBy = NonNullable<RequestPage['sort']>;

/** The filter of the list. The page of one call has it, too, so that the way back leads to the same list. */
export const filter = computed<CallFilter>(() => {
  const { query } = route.value;
  return Object.fromEntries(NAMES.flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : [])));
});

/** Empty texts take a condition away. */
export const changeFilter = (changes: CallFilter): void => changeQuery({ ...changes, selected: undefined });

/** Whether the list has the calls of all environments. */
export const isAll = computed(() => filter.value.all === 'true');

/** Whether a condition leaves calls out. */
export const isNarrow = computed(() =>
  NAMES.some((name) => !['sort', 'reverse', 'all'].includes(name) && filter.value[name] !== undefined),
);

/** The conditions, as the control API takes them. A change of the order alone makes another query, too. */
export const wantedCalls = computed<RequestPage>(() => {
  const { operation, status, sort, reverse, all: _, ...others } = filter.value;
  return {
    ...others,
    ...(operation !== undefined && { operation: unchecked(globOf(operation)) }),
    ...(status !== undefined && { status: unchecked(status) }),
    ...(sort !== undefined && { sort: sort as SortedBy, reverse: reverse === 'true' }),
  };
});

/** A name or a part of it; with `*`, a pattern for the whole name. */
const globOf = (typed: string) => (typed.includes('*') ? typed.trim() : `*${typed.trim()}*`);

/** The page of a call of this list. */
export const callAddress = (environment: string, id: string): string =>
  withQuery(hrefIn(environment, 'request', id), filter.value);

/** The list, with the call that was looked at. */
export const listAddress = (selected?: string): string =>
  withQuery(href('requests'), { ...filter.value, ...(selected !== undefined && { selected }) });

/** The call of the environment that was looked at. */
export const selected = computed(() => route.value.query.get('selected') ?? undefined);
