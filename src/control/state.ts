import { createHash } from 'node:crypto';
import { nextTurn, runInTurns, type Steps } from '../scenarios/steps.ts';
import type { Tables, Env, RowChange, Collection } from '../state/env.ts';
import type { Environment } from '../environment/environment.ts';
import { anyTable, COLLECTIONS, countRows, TABLES } from '../state/schema.ts';
import { invalidArgument, ApiError } from '../contract/errors.ts';
import type { Contract } from '../contract/contract.ts';
import { isObject, plainText } from '../text/json.ts';
import { suggestAmong } from '../text/suggestion.ts';
import { patchRow, putRow } from '../scenarios/edits.ts';
import type { Collections } from '../store/change-log.ts';
import { keepForUndo } from './undo.ts';
import {
  StreamReply,
  unknownName,
  type ControlContext,
  type ControlOperations,
  TextReply,
} from './handler.ts';
import type { RowBase } from '../rows/positions.ts';
import type { Table } from '../rows/table.ts';
import { searchFor } from '../text/words.ts';

type Row = Record<string, unknown> & { id: string };

export const state = {
  Control_GetState(_, { environment }) {
    return stateReply(environment.tablesNow()) as never;
  },

  async Control_PutState({ body }, { environment, fixtures }) {
    environment.savePoints.replaceRows(await fixtures.read(body, environment.clock.now()));
    // The changes could be as large as the state; whoever follows it reads it again.
    environment.activity.publish({ kind: 'state', changes: [] });
    return undefined;
  },

  /** The hash of one moment: rows never change, so that calls in between only write others. */
  async Control_GetStateHash(_, { environment }) {
    const { tables, ...others } = environment.savePoints.view();
    const ending = JSON.stringify(others);
    const hash = createHash('sha256');
    for await (const piece of inPieces(tables, withoutOutcome)) hash.update(piece);
    return { hash: hash.update(ending).digest('hex') };
  },

  Control_CountRows(_, { environment: { tables } }) {
    return { counts: Object.fromEntries(COLLECTIONS.map((name) => [name, anyTable(tables, name).count()])) };
  },

  async Control_ListRows({ path, query }, { environment, contract }) {
    const collection = collectionOf(path.collection);
    const { where: written = '{}', ...others } = query;
    const where = objectIn(written);
    if (query.sort !== undefined) checkMember('sort', query.sort, collection, contract);
    for (const name of Object.keys(where)) checkMember('where', name, collection, contract);
    return listReply(await listRows(anyTable(environment.tables, collection), { ...others, where })) as never;
  },

  Control_GetRow({ path }, { environment }) {
    const { tables } = environment;
    return rowReply(rowOf(tables, collectionOf(path.collection), path.id));
  },

  Control_PutRow({ path, query, headers, body }, context) {
    if ('id' in body && body['id'] !== path.id)
      throw invalidArgument(`id: the path has ${path.id}, but the row has ${String(body['id'])}`);
    const row: Row = { ...body, id: path.id };
    const { tables } = context.environment; // Fails first if the environment does not exist.
    const collection = collectionOf(path.collection);
    const before = anyTable(tables, collection).find(path.id);
    const verb = before ? 'change' : 'insert';
    return change(context, { ...query, ...path, verb }, (env) => {
      if (headers['if-match'] !== undefined) checkVersion(env, path, headers);
      return rowReply(putRow(env, context.contract, collection, row));
    });
  },

  Control_PatchRow({ path, query, headers, body }, context) {
    return change(context, { ...query, ...path, verb: 'change' }, (env) => {
      const collection = checkVersion(env, path, headers);
      return rowReply(patchRow(env, context.contract, collection, path.id, body));
    });
  },

  async Control_DeleteRow({ path, query, headers }, { environment, baseUrl }) {
    const { events = false, undo = false } = query;
    const { changes } = await environment.transactInTurns({ baseUrl, isSetUp: !events }, (env) => {
      const collection = collectionOf(path.collection);
      if (collection === 'settings')
        throw invalidArgument('settings: they cannot be deleted, because each environment has settings');
      checkVersion(env, path, headers);
      env.remove(collection, path.id);
    });
    const { collection, id: row } = path;
    if (undo) keepForUndo(environment, { verb: 'delete', collection, row, changes });
    return undefined;
  },

  async Control_GetDependents({ path }, { environment }) {
    const collection = collectionOf(path.collection);
    rowOf(environment.tables, collection, path.id);
    return dependentsOf(environment, { collection, id: path.id });
  },

  async Control_AuthorizeAccount({ path, body }, { environment, baseUrl }) {
    const { connected_accounts } = environment.tables;
    if (!connected_accounts.find(path.id))
      throw unknownName(
        'connected account',
        path.id,
        connected_accounts.list().map(({ id }) => id),
      );
    const { authorizeAccount } = await import('../operations/connected-accounts/account-authorization.ts');
    return environment.transact({ baseUrl }, (env) => authorizeAccount(env, path.id, body ?? {})).result;
  },
} satisfies Partial<ControlOperations>;

/** A large state is written piece by piece. Nothing may be written to the tables meanwhile. */
export const stateReply = (tables: Tables): Collections | StreamReply =>
  countRows(tables) > PIECE
    ? new StreamReply('application/json', inPieces(tables))
    : Object.fromEntries(COLLECTIONS.map((name) => [name, anyTable(tables, name).list()]));

/** How many rows are written at once. */
const PIECE = 1000;

/** A large state, written piece by piece as the caller reads it, with other calls in between. */
async function* inPieces(
  tables: Tables,
  shown: (collection: string, row: Row) => object = (_, row) => row,
): AsyncGenerator<string> {
  let before = '{';
  for (const name of COLLECTIONS) {
    yield `${before}${JSON.stringify(name)}:[`;
    yield* rowsInPieces(anyTable(tables, name).list(), (row) => shown(name, row));
    before = '],';
  }
  yield ']}';
}

async function* rowsInPieces<T>(rows: readonly T[], shown: (row: T) => object): AsyncGenerator<string> {
  for (let at = 0; at < rows.length; at += PIECE) {
    await nextTurn();
    const piece = rows.slice(at, at + PIECE).map(shown);
    yield (at === 0 ? '' : ',') + JSON.stringify(piece).slice(1, -1);
  }
}

interface RowList {
  rows: ListedRow[];
  total: number;
}

/** A long list of rows is written piece by piece. */
const listReply = (list: RowList): RowList | StreamReply =>
  list.rows.length > PIECE ? new StreamReply('application/json', listInPieces(list)) : list;

async function* listInPieces({ rows, total }: RowList): AsyncGenerator<string> {
  yield '{"rows":[';
  yield* rowsInPieces(rows, (row) => row);
  yield `],"total":${total}}`;
}

interface RowName {
  collection: Collection;
  id: string;
}

interface Dependents {
  deleted: RowName[];
  changed: RowName[];
}

/** The rows that a deletion deletes and changes besides the row, in the order of the collections. */
async function dependentsOf(environment: Environment, wanted: RowName): Promise<Dependents | StreamReply> {
  const changes = await environment.foreseeRemoval(wanted.collection, wanted.id);
  const found = await runInTurns(inOrder(changes, wanted));
  const isLong = found.deleted.length + found.changed.length > PIECE;
  return isLong ? new StreamReply('application/json', dependentsInPieces(found)) : found;
}

function* inOrder(changes: readonly RowChange[], removed: RowName): Steps<Dependents> {
  const found = new Map(
    COLLECTIONS.map((name): [string, Dependents] => [name, { deleted: [], changed: [] }]),
  );
  for (const [index, { collection, id, before, after }] of changes.entries()) {
    if (index % PIECE === 0) yield;
    if (!before || (collection === removed.collection && id === removed.id)) continue;
    found.get(collection)![after ? 'changed' : 'deleted'].push({ collection, id });
  }
  const all = [...found.values()];
  return { deleted: all.flatMap((each) => each.deleted), changed: all.flatMap((each) => each.changed) };
}

async function* dependentsInPieces({ deleted, changed }: Dependents): AsyncGenerator<string> {
  yield '{"deleted":[';
  yield* rowsInPieces(deleted, (name) => name);
  yield '],"changed":[';
  yield* rowsInPieces(changed, (name) => name);
  yield ']}';
}

interface Writing {
  events?: boolean;
  undo?: boolean;
  verb: 'insert' | 'change';
  collection: string;
  id: string;
}

function change<T>(
  { environment, baseUrl }: ControlContext,
  { events = false, undo = false, verb, collection, id: row }: Writing,
  write: (env: Env) => T,
): T {
  const { result, changes } = environment.transact({ baseUrl, isSetUp: !events }, write);
  if (undo) keepForUndo(environment, { verb, collection, row, changes });
  return result;
}

/** Throws `not_found` for an unknown row, and `version_mismatch` for one that the caller has not read as it is. */
function checkVersion(
  env: Tables,
  { collection: name, id }: { collection: string; id: string },
  headers: { 'if-match'?: string },
): Collection {
  const collection = collectionOf(name);
  refuseChanged(id, rowOf(env, collection, id), headers['if-match']);
  return collection;
}

export function collectionOf(name: string): Collection {
  if ((COLLECTIONS as string[]).includes(name)) return name as Collection;
  throw unknownName('collection', name, COLLECTIONS);
}

/** Throws `invalid_argument` for a member that rows of the collection cannot have. */
function checkMember(parameter: string, name: string, collection: Collection, contract: Contract): void {
  const { noun, schema } = TABLES[collection];
  const members = Object.keys(contract.schemaNamed(schema)?.properties ?? {});
  if (members.includes(name)) return;
  throw invalidArgument(`${parameter}: a row of ${noun} has no member ${name}${suggestAmong(name, members)}`);
}

function objectIn(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isObject(value)) return value;
  throw invalidArgument('where: it is not a JSON object, such as {"organization_id":"org_1"}');
}

/** Throws `not_found` with the most similar id. */
export function rowOf(tables: Tables, collection: Collection, id: string): object {
  const table = anyTable(tables, collection);
  const row = table.find(id);
  if (row) return row;
  const ids = table.list().map((each) => each.id);
  throw unknownName(TABLES[collection].noun, id, ids);
}

/** Removes the outcome of outgoing calls, which depends on the receiver and on this machine. */
const withoutOutcome = (collection: string, row: Row): object =>
  CALLS.has(collection)
    ? Object.fromEntries(Object.entries(row).filter(([member]) => !OUTCOME.has(member)))
    : row;

const CALLS = new Set(['outgoing_calls', 'webhook_deliveries']);
const OUTCOME = new Set(['status', 'attempts', 'dropped_attempts', 'next_attempt_at', 'redelivered']);

type ListedRow = RowBase & Record<string, unknown>;

/** Which rows of a collection a call lists, and in which order. */
interface RowListQuery {
  /** Words that the JSON of a row has. */
  contains?: string;
  /** Values of members, compared as JSON. */
  where?: Readonly<Record<string, unknown>>;
  /** The member that orders the rows. */
  sort?: string;
  reverse?: boolean;
  limit?: number;
  offset?: number;
}

/** A page of rows, and the number of rows on all pages. */
async function listRows(table: Table<ListedRow>, query: RowListQuery): Promise<RowList> {
  const { contains = '', where = {}, sort, reverse = false, limit = Infinity, offset = 0 } = query;
  if (contains.trim() === '' && sort === undefined && Object.keys(where).length === 0) {
    const { size } = table.bucket();
    return { rows: rowsInOrderOfCreation(table, reverse, offset, offset + limit), total: size };
  }
  const found = await searchedRows(table, { contains, where, sort, reverse });
  return { rows: found.slice(offset, offset + limit), total: found.length };
}

/** Reads no row that it does not return. */
function rowsInOrderOfCreation(
  table: Table<ListedRow>,
  isReversed: boolean,
  start: number,
  end: number,
): ListedRow[] {
  const bucket = table.bucket();
  const rows: ListedRow[] = [];
  let index = 0;
  for (const position of isReversed ? bucket.descending() : bucket.ascending()) {
    if (index >= end) break;
    if (index >= start) rows.push(table.at(position)!);
    index += 1;
  }
  return rows;
}

interface Search {
  contains: string;
  where: Readonly<Record<string, unknown>>;
  sort: string | undefined;
  reverse: boolean;
}

interface SearchResult {
  key: string;
  /** All rows of the table at that time. */
  rows: readonly ListedRow[];
  found: readonly ListedRow[];
}

/** The latest result for each table: whoever reads a page soon reads the next one. */
const latest = new WeakMap<Table<ListedRow>, SearchResult>();

async function searchedRows(table: Table<ListedRow>, search: Search): Promise<readonly ListedRow[]> {
  const key = JSON.stringify(search);
  const rows = table.list();
  const known = latest.get(table);
  if (known?.key === key && areSame(known.rows, rows)) return known.found;
  const found = ordered(await runInTurns(fitting(rows, search)), search);
  latest.set(table, { key, rows, found });
  return found;
}

/** Other calls are served in between. The rows are those of one moment. */
function* fitting(rows: readonly ListedRow[], { contains, where }: Search): Steps<readonly ListedRow[]> {
  const wanted = Object.entries(where).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const isFound = searchFor(contains);
  const found: ListedRow[] = [];
  for (const row of rows) {
    const isWanted = wanted.every(([name, json]) => JSON.stringify(row[name]) === json);
    if (isWanted && (!contains || isFound(JSON.stringify(row)))) found.push(row);
    yield;
  }
  return found;
}

/** A changed row is another object. */
const areSame = (some: readonly ListedRow[], others: readonly ListedRow[]) =>
  some.length === others.length && some.every((row, index) => row === others[index]);

function ordered(rows: readonly ListedRow[], { sort, reverse }: Search): readonly ListedRow[] {
  if (sort === undefined) return reverse ? rows.toReversed() : rows;
  const keyed = rows.map((row) => ({ row, key: Object.hasOwn(row, sort) ? sortKey(row[sort]) : undefined }));
  return keyed.toSorted((a, b) => compare(a.key, b.key, reverse)).map(({ row }) => row);
}

/** Longer than any number in an id. */
const DIGITS = 24;

/** Padded numbers make `org_2` come before `org_10`. One comparison of plain texts is much faster than a collator. */
function sortKey(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return plainText(value)
    .toLowerCase()
    .replaceAll(/\d+/g, (digits) => digits.padStart(DIGITS, '0'));
}

/** Rows without the member come last in both directions. */
function compare(a: string | undefined, b: string | undefined, isReversed: boolean): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a < b === isReversed ? 1 : -1;
}

/** Names one content of a row. Rows are frozen, so each is hashed once. */
const versions = new WeakMap<object, string>();

function versionOf(row: object): string {
  const known =
    versions.get(row) ?? createHash('sha256').update(JSON.stringify(row)).digest('hex').slice(0, 16);
  versions.set(row, known);
  return known;
}

/** The row, with its version in the header `etag`. */
const rowReply = (row: object): TextReply =>
  new TextReply('application/json', JSON.stringify(row), { etag: `"${versionOf(row)}"` });

/** Somebody has changed the row. The reply has the row as it is, so that the caller can compare. */
class RowChanged extends ApiError {
  readonly #row: object;

  constructor(message: string, row: object) {
    super('version_mismatch', message);
    this.#row = row;
  }

  override envelope(): Record<string, unknown> {
    return { ...super.envelope(), row: this.#row, version: versionOf(this.#row) };
  }
}

/** Throws `version_mismatch` if the row has changed since the caller read it. `ifMatch` is the header `if-match`. */
function refuseChanged(name: string, row: object, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch === '*') return;
  const [wanted, version] = [ifMatch.replaceAll('"', ''), versionOf(row)];
  if (wanted !== version)
    throw new RowChanged(`${name} has changed since version ${wanted}: it has version ${version} now`, row);
}
