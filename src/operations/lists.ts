import type { Env, Rows } from '../state/env.ts';
import { ApiError } from '../contract/errors.ts';

const MOST = 100;
const MOST_FOUND = 30;

interface Paging {
  page_size?: number;
  page_token?: string;
}

/**
 * The page that a list returns. No size or 0 means the environment's default; larger values are cut to the maximum.
 * Unverified (lists/page-size): the docs and the SDKs' tests differ about the bounds.
 */
export function listing({ page_size, page_token: token }: Paging, env: Env, most = MOST) {
  if (page_size !== undefined && page_size > most) env.decidedBy('lists/page-size');
  return { size: Math.min(page_size || env.settings.get('settings').default_page_size, most), token };
}

/** Searches return fewer rows than lists. */
export const searching = (query: Paging, env: Env) => listing(query, env, MOST_FOUND);

/** Whether one of the texts contains the wanted one, ignoring case. */
export function containsText(wanted: string, texts: readonly (string | undefined)[]): boolean {
  const sought = wanted.toLowerCase();
  return texts.some((text) => text?.toLowerCase().includes(sought));
}

/** Separates the texts of a row. A wanted text that contains it fits no row. */
const BETWEEN = '\n';

/** What `make` makes of a row is made once: rows never change, and `make` depends on nothing but the row. */
export function onceForEach<T extends object, R>(make: (row: T) => R): (row: T) => R {
  const known = new WeakMap<T, R>();
  return (row) => {
    if (!known.has(row)) known.set(row, make(row));
    return known.get(row)!;
  };
}

/** Like `containsText` for rows of large tables: `textsOf` depends on nothing but the row. */
export function textSearch<T extends object>(textsOf: (row: T) => readonly (string | undefined)[]) {
  const textOf = onceForEach((row: T) => textsOf(row).join(BETWEEN).toLowerCase());
  return (wanted: string): ((row: T) => boolean) => {
    const sought = wanted.toLowerCase();
    return (row) => textOf(row).includes(sought) && !sought.includes(BETWEEN);
  };
}

/** A user's token gives access to that user's data only; a client's token to all data. */
export function refuseOtherUsers({ caller }: Env, user_id: string): void {
  if (caller?.subject === undefined || caller.user_id === user_id) return;
  throw new ApiError('permission_denied', `the token's user ${caller.subject} is not ${user_id}`);
}

/** The user of the token. */
export function callingUser({ caller, users }: Env): Rows['users'] {
  const user = users.find(caller?.user_id ?? '');
  if (user) return user;
  throw new ApiError('permission_denied', 'the subject of the token is not a user of the environment');
}

/** Like `refuseOtherUsers`, for the organization that the user has signed in to. */
export function refuseOtherOrganizations({ caller }: Env, organization_id: string): void {
  if (caller?.subject === undefined || caller.organization_id === organization_id) return;
  throw new ApiError('permission_denied', `the token's user has not signed in to ${organization_id}`);
}

/** Whether a time lies between two others, inclusive; a missing bound is open. */
export function isBetweenTimes(
  start: string | undefined,
  end: string | undefined,
): (time: string) => boolean {
  const [from, to] = [Date.parse(start ?? ''), Date.parse(end ?? '')];
  return (time) => !(Date.parse(time) < from) && !(Date.parse(time) > to);
}

/** Protobuf cannot tell an empty map or list from a missing one. */
export function isFilled<T extends object>(value: T | undefined): value is T {
  return value !== undefined && Object.keys(value).length > 0;
}

/** Whether a list has filters. Without filters its rows can be counted without reading them. */
export const isFiltered = (query: object) =>
  Object.entries(query).some(([name, value]) => /^(filter\.|search$)/.test(name) && value !== '');
