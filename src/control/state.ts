import { createHash } from 'node:crypto';
import type { Tables, Env, Collection } from '../state/env.ts';
import { anyTable, COLLECTIONS, TABLES } from '../state/schema.ts';
import { invalidArgument, ApiError } from '../contract/errors.ts';
import type { Contract } from '../contract/contract.ts';
import { isObject } from '@understudy/text/json';
import { suggestAmong } from '@understudy/text/suggestion';
import { patchRow, putRow } from '../scenarios/edits.ts';
import { keepForUndo } from './undo.ts';
import { unknownName, type ControlContext, type ControlOperations, TextReply } from './handler.ts';
import { dependentsOf } from './dependents.ts';
import { tablesAt, tablesOf } from './moments.ts';
import { listReply, listRows } from './row-list.ts';
import { stateInPieces, stateReply, type Row } from './row-pieces.ts';

export const state = {
  async Control_GetState({ query: { at } }, { environment }) {
    return stateReply(at === undefined ? environment.tablesNow() : await tablesAt(environment, at)) as never;
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
    for await (const piece of stateInPieces(tables, withoutOutcome)) hash.update(piece);
    return { hash: hash.update(ending).digest('hex') };
  },

  async Control_CountRows({ query }, { environment }) {
    const tables = await tablesOf(environment, query);
    return { counts: Object.fromEntries(COLLECTIONS.map((name) => [name, anyTable(tables, name).count()])) };
  },

  async Control_ListRows({ path, query }, { environment, contract }) {
    const collection = collectionOf(path.collection);
    const { where: written = '{}', at, ...others } = query;
    const tables = await tablesOf(environment, { at });
    const where = objectIn(written);
    if (query.sort !== undefined) checkMember('sort', query.sort, collection, contract);
    for (const name of Object.keys(where)) checkMember('where', name, collection, contract);
    return listReply(await listRows(anyTable(tables, collection), { ...others, where })) as never;
  },

  async Control_GetRow({ path, query }, { environment }) {
    const tables = await tablesOf(environment, query);
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
} satisfies Partial<ControlOperations>;

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
