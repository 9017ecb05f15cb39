import type { Env, Rows } from '@understudy/core/state/env';
import type { Resource, ResourceType } from '@understudy/scim/attributes';
import { comparisonsIn, parseFilter } from '@understudy/scim/filter';
import {
  fitting,
  judging,
  pageOf,
  reads,
  wantedPart,
  wantedText,
  type Judgement,
  type Listing,
  type Page,
} from '@understudy/scim/listing';
import { projected, type Projection } from '@understudy/scim/projection';
import { quoted, ScimRefusal } from '@understudy/scim/refusal';
import { GROUP, USER } from '@understudy/scim/schemas';
import type { Operations } from '@understudy/core/operations/handler';
import { listResponse } from './answers.ts';
import { groupForFilter, groupResource, knownNames, memberCount } from './group-rows.ts';
import { pushing, type Pushing } from './pushing.ts';
import { refusal } from './refusals.ts';
import { knownAttributes, userResource, userWithoutVersion } from './user-rows.ts';

type User = Rows['directory_users'];
type Group = Rows['directory_groups'];

export const search = {
  Scim_ListUsers: ({ query }, env) => list(USERS, env, query),
  Scim_SearchUsers: ({ body }, env) => list(USERS, env, body),
  Scim_ListGroups: ({ query }, env) => list(GROUPS, env, query),
  Scim_SearchGroups: ({ body }, env) => list(GROUPS, env, body),

  Scim_Search({ body }, env) {
    const push = pushing(env, 'reads');
    const listing = listingOf(env, body);
    const found = [...resultsOf(USERS, push, listing), ...resultsOf(GROUPS, push, listing)];
    const page = shortened(pageOf(found, listing), ({ size }) => size());
    return listResponse(
      page,
      page.rows.map(({ type, show }) => projected(type, show(), body)),
    );
  },
} satisfies Partial<Operations>;

interface Query extends Projection {
  filter?: string | undefined;
  startIndex?: number | undefined;
  count?: number | undefined;
  sortBy?: string | undefined;
  sortOrder?: string | undefined;
}

/** Unverified (scim/lenient-texts): a text without quotation marks is taken, because providers send it. */
const listingOf = (env: Env, { filter, ...rest }: Query): Listing => ({
  ...rest,
  filter:
    filter === undefined || filter === ''
      ? undefined
      : parseFilter(filter, (word) => noteBareText(env, word)),
});

function noteBareText(env: Env, word: string): void {
  env.note(`filter: ${quoted(word)} is read as a text; RFC 7644 wants it in quotation marks`);
}

/** How a type of resources is listed. */
interface Listed<T> {
  type: ResourceType;
  /** Every row of the directory that can fit. */
  candidates: (push: Pushing, listing: Listing) => readonly T[];
  /** How many values a row may show, where these can be many. */
  size: (push: Pushing, row: T) => number;
  /** What filter and order read. */
  view: (push: Pushing, listing: Listing) => (row: T) => Resource;
  show: (push: Pushing, row: T) => Resource;
}

const USERS: Listed<User> = {
  type: USER,
  candidates({ env, directory: { id } }, { filter }) {
    const own = wantedText(filter, 'id');
    if (own !== undefined) return inDirectory(id, env.directory_users.find(own));
    const name = wantedText(filter, 'userName');
    if (name !== undefined) return env.directory_users.list('user_name', `${id} ${name.toLowerCase()}`);
    const external = wantedText(filter, 'externalId');
    if (external !== undefined) return env.directory_users.list('dp_id', `${id} ${external}`);
    const address = wantedAddress(filter);
    if (address !== undefined) return env.directory_users.list('address', `${id} ${address.toLowerCase()}`);
    return env.directory_users.list('directory_id', id);
  },
  size: () => 0,
  view(push, listing) {
    if (reads(listing, 'version')) return (user) => userResource(push, user);
    if (reads(listing, 'meta') || reads(listing, 'groups')) return (user) => userWithoutVersion(push, user);
    return knownAttributes;
  },
  show: userResource,
};

/** `emails eq`, `emails.value eq` and `emails[value eq …]`. */
function wantedAddress(filter: Listing['filter']): string | undefined {
  const address = wantedText(filter, 'emails.value') ?? wantedText(filter, 'emails');
  return address ?? wantedText(wantedPart(filter, 'emails'), 'value');
}

const GROUPS: Listed<Group> = {
  type: GROUP,
  candidates(push, listing) {
    const { env, directory } = push;
    const own = wantedText(listing.filter, 'id');
    if (own !== undefined) return inDirectory(directory.id, env.directory_groups.find(own));
    const name = wantedText(listing.filter, 'displayName');
    const groups =
      name === undefined
        ? env.directory_groups.list('directory_id', directory.id)
        : env.directory_groups.list('display_name', `${directory.id} ${name.toLowerCase()}`);
    if (reads(listing, 'members') || reads(listing, 'version')) refuseCostly(push, groups, listing);
    return groups;
  },
  size: memberCount,
  view(push, listing) {
    const isWithMembers = reads(listing, 'members');
    if (reads(listing, 'version')) return (group) => groupResource(push, group);
    if (isWithMembers || reads(listing, 'meta')) return (group) => groupForFilter(push, group, isWithMembers);
    return knownNames;
  },
  show: groupResource,
};

const inDirectory = <T extends { directory_id: string }>(
  directory: string,
  row: T | undefined,
): readonly T[] => (row?.directory_id === directory ? [row] : []);

/** Reading a member costs as much as comparing it ten times. */
const READING = 10;
const MOST_WORK = 2_000_000;

function refuseCostly(push: Pushing, groups: readonly Group[], { filter }: Listing): void {
  const members = groups.reduce((sum, group) => sum + memberCount(push, group), 0);
  const work = members * (READING + (filter ? comparisonsIn(filter) : 0));
  if (work > MOST_WORK)
    throw refusal('tooMany', `the groups have ${members} members, too many for this filter or order`);
}

/** Members on a page: it may be shorter than the caller wants (RFC 7644 3.4.2.4), and has one resource at least. */
const MOST_MEMBERS = 20_000;

function shortened<T>(page: Page<T>, size: (row: T) => number): Page<T> {
  let members = 0;
  const end = page.rows.findIndex((row, index) => (members += size(row)) > MOST_MEMBERS && index > 0);
  return end === -1 ? page : { ...page, rows: page.rows.slice(0, end) };
}

function list<T>(listed: Listed<T>, env: Env, query: Query) {
  const push = pushing(env, 'reads');
  const listing = listingOf(env, query);
  const page = shortened(pageOf(found(listed, push, listing), listing), (row) => listed.size(push, row));
  return listResponse(
    page,
    page.rows.map((row) => projected(listed.type, listed.show(push, row), query) as never),
  );
}

function found<T>(listed: Listed<T>, push: Pushing, listing: Listing): readonly T[] {
  const rows = listed.candidates(push, listing);
  if (listing.filter === undefined && listing.sortBy === undefined) return rows;
  return fitting(rows, judgements(listed, rows, push, listing), listing);
}

/** More rows than these are judged in turns with other calls. */
const JUDGED_AT_ONCE = 500;

/** Judges each row once, also if the operation starts again. */
function judgements<T>({ type, view }: Listed<T>, rows: readonly T[], push: Pushing, listing: Listing) {
  const { env } = push;
  const judge = judging(type, listing);
  const viewOf = view(push, listing);
  const key = `SCIM ${type.name}`;
  const known = (env.kept.get(key) as Map<T, Judgement> | undefined) ?? new Map<T, Judgement>();
  env.kept.set(key, known);
  const judged = (row: T): Judgement => {
    const judgement = known.get(row) ?? judge(viewOf(row));
    known.set(row, judgement);
    return judgement;
  };
  const missing = rows.filter((row) => !known.has(row));
  if (missing.length > JUDGED_AT_ONCE) env.prepare(eachOf(missing, judged));
  return judged;
}

const ROWS_OF_A_STEP = 20;

function* eachOf<T>(rows: readonly T[], act: (row: T) => void): Generator<undefined, void, undefined> {
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_OF_A_STEP === 0) yield;
    act(row);
  }
}

interface Result {
  type: ResourceType;
  size: () => number;
  show: () => Resource;
}

/** A type without an attribute of the filter has no results (RFC 7644 3.4.3). */
function resultsOf<T>(listed: Listed<T>, push: Pushing, listing: Listing): Result[] {
  try {
    return found(listed, push, listing).map((row) => ({
      type: listed.type,
      size: () => listed.size(push, row),
      show: () => listed.show(push, row),
    }));
  } catch (thrown) {
    if (thrown instanceof ScimRefusal) return [];
    throw thrown;
  }
}
