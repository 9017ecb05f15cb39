import type { Resource, ResourceType } from './attributes.ts';
import type { Filter } from './filter.ts';
import { resourceMatcher, sortKey } from './matching.ts';

export interface Listing {
  filter?: Filter | undefined;
  sortBy?: string | undefined;
  sortOrder?: string | undefined;
  /** The first resource has the number 1. */
  startIndex?: number | undefined;
  count?: number | undefined;
}

/** Resources on a page. Unverified (scim/page-size): how many the service lists. */
export const MOST_RESULTS = 200;
const USUAL_RESULTS = 100;

export interface Page<T> {
  totalResults: number;
  startIndex: number;
  rows: readonly T[];
}

/** The page that the caller wants (RFC 7644 3.4.2.4). */
export function pageOf<T>(rows: readonly T[], { startIndex = 1, count = USUAL_RESULTS }: Listing): Page<T> {
  const start = Math.max(1, startIndex);
  const size = Math.min(MOST_RESULTS, Math.max(0, count));
  return { totalResults: rows.length, startIndex: start, rows: rows.slice(start - 1, start - 1 + size) };
}

/** Whether a resource fits the filter, and by what it is sorted. */
export interface Judgement {
  fits: boolean;
  key: Key;
}

type Key = string | number | boolean | undefined;

/**
 * Judges resources by filter and order (RFC 7644 3.4.2). Throws `invalidFilter`, or `invalidValue` for an order that the type
 * does not have.
 */
export function judging(type: ResourceType, { filter, sortBy }: Listing): (resource: Resource) => Judgement {
  const matches = filter && resourceMatcher(type, filter);
  const keyOf = sortBy === undefined ? undefined : sortKey(type, sortBy);
  return (resource) => {
    const fits = matches ? matches(resource) : true;
    return { fits, key: fits ? keyOf?.(resource) : undefined };
  };
}

/** The rows that fit, in the wanted order. */
export function fitting<T>(
  rows: readonly T[],
  judge: (row: T) => Judgement,
  { sortBy, sortOrder }: Listing,
): readonly T[] {
  const found = rows.map((row) => ({ row, ...judge(row) })).filter(({ fits }) => fits);
  if (sortBy !== undefined) sort(found, sortOrder);
  return found.map(({ row }) => row);
}

/** Resources without the attribute come last, in both orders. */
function sort(found: { key: Key }[], order: string | undefined): void {
  const sign = order?.toLowerCase() === 'descending' ? -1 : 1;
  found.sort(({ key: a }, { key: b }) => {
    if (a === b) return 0;
    if (a === undefined) return 1;
    if (b === undefined) return -1;
    return (a < b ? -1 : 1) * sign;
  });
}

/**
 * The value that a resource must have to fit the filter, if the filter says so: `userName eq "ada"` alone or beside
 * others with `and`. Rows are then found by an index.
 */
export function wantedText(filter: Filter | undefined, name: string): string | undefined {
  const found = needed(filter, (part) => part.kind === 'compare' && isText(part) && isNamed(part, name));
  return found?.kind === 'compare' ? (found.value as string) : undefined;
}

/** The filter in brackets that a value of the attribute must fit, such as that of `emails[value eq "ada"]`. */
export function wantedPart(filter: Filter | undefined, name: string): Filter | undefined {
  const found = needed(filter, (part) => part.kind === 'some' && isNamed(part, name));
  return found?.kind === 'some' ? found.part : undefined;
}

type Compare = Extract<Filter, { kind: 'compare' }>;

const isText = ({ comparison, value }: Compare) => comparison === 'eq' && typeof value === 'string';
const isNamed = ({ path }: { path: string }, name: string) => path.toLowerCase() === name.toLowerCase();

/** The first such part that every resource must fit. */
function needed(filter: Filter | undefined, isWanted: (part: Filter) => boolean): Filter | undefined {
  if (filter === undefined || isWanted(filter)) return filter;
  if (filter.kind !== 'and') return undefined;
  for (const part of filter.parts) {
    const found = needed(part, isWanted);
    if (found) return found;
  }
  return undefined;
}

/** Whether the filter, or the order, reads this attribute. */
export function reads({ filter, sortBy }: Listing, name: string): boolean {
  const isIn = (path: string) => path.toLowerCase().includes(name.toLowerCase());
  const isRead = (part: Filter): boolean => {
    if ('parts' in part) return part.parts.some(isRead);
    return 'path' in part ? isIn(part.path) : isRead(part.part);
  };
  return (sortBy !== undefined && isIn(sortBy)) || (filter !== undefined && isRead(filter));
}
