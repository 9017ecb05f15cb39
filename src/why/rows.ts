import type { Cause } from '../contract/cause.ts';
import type { Entry } from '../journal/entry.ts';
import type { Collection, Tables } from '../state/env.ts';
import { anyTable, COLLECTIONS, TABLES } from '../state/schema.ts';
import { nearest } from '@understudy/text/suggestion';
import { distance, type Fact, type Place, type Reasons, type Remedy } from './answer.ts';

/** Nouns of messages that are not those of the tables. */
const OTHER_NOUNS: Readonly<Record<string, Collection | undefined>> = {
  invitation: 'memberships',
  'base role': 'roles',
  'custom provider': 'providers',
  'SAML connection': 'connections',
  'identity provider': 'connections',
  'authenticator app': 'totp_registrations',
  link: 'passwordless_requests',
  'mcp server': 'mcp_configs',
  challenge: 'passkey_ceremonies',
  'sign-in with a passkey': 'passkey_ceremonies',
};

/** The users and groups of a directory have the nouns of others. */
const SCIM_NOUNS: Readonly<Record<string, Collection | undefined>> = {
  user: 'directory_users',
  group: 'directory_groups',
};

export function collectionOf(noun: string, { operation = '' }: Entry): Collection | undefined {
  const ofScim = operation.startsWith('Scim') ? SCIM_NOUNS[noun] : undefined;
  return ofScim ?? OTHER_NOUNS[noun] ?? COLLECTIONS.find((name) => TABLES[name].noun === noun);
}

const plural = (collection: string) => collection.replaceAll('_', ' ');

/** The most rows that are compared with an id, the newest first. */
const MOST_COMPARED = 1000;
const MOST_SHOWN = 3;

/** There is no such row. */
export function unknownRow({ noun = 'row', wanted = '', says }: Cause, entry: Entry, place: Place): Reasons {
  const { environment } = place;
  const collection = collectionOf(noun, entry);
  const isId = /^[a-z]+_[\w-]+$/.test(wanted);
  const isName = !isId && NAMED.has(collection) && !wanted.includes(' ');
  const flaw =
    isId || isName ? `No ${noun} has the ${isId ? 'id' : 'name'} ${wanted}` : `There is no ${noun} ${wanted}`;
  const summary = `${flaw} in environment ${environment.name}${says === undefined ? '' : `; ${says}`}.`;
  if (!collection) return { summary };
  const traces = [...tracesOf(wanted, collection, entry, place), ...elsewhere(wanted, collection, place)];
  const remedies = traces.flatMap(({ remedy }) => remedy ?? []);
  const facts = traces.map(({ fact }) => fact);
  const near = facts.length === 0 ? nearestRows(wanted, collection, environment.tables) : undefined;
  return {
    summary,
    because: [...facts, ...(near ? [near] : [])],
    remedies: [...remedies, listRemedy(collection)],
  };
}

/** The collections in which a call may name a row by its `name` instead of its id. */
const NAMED: ReadonlySet<Collection | undefined> = new Set<Collection>(['roles', 'permissions']);

type NamedRow = { id: string; name?: string } | undefined;

/** The row that has this id. In a collection of `NAMED`, else the row that has this name. */
function rowOf(wanted: string, collection: Collection, tables: Tables): NamedRow {
  const table = anyTable(tables, collection);
  const row: NamedRow = table.find(wanted);
  if (row || !NAMED.has(collection)) return row;
  return (table.list() as NamedRow[]).find((each) => each?.name === wanted);
}

interface Trace {
  fact: Fact;
  remedy?: Remedy;
}

/** What became of the row, or that it belongs to another one. */
function tracesOf(
  id: string,
  collection: Collection,
  entry: Entry,
  { environment, history }: Place,
): Trace[] {
  const row = rowOf(id, collection, environment.tables);
  const isNamed = NAMED.has(collection);
  const last = history.before(entry, id) ?? (isNamed ? history.deletion(collection, id, entry) : undefined);
  if (last?.change === 'deleted') {
    const { id: call } = last.entry;
    const text = `${id} was deleted by ${call}, ${distance(last.entry, entry)}.`;
    return [{ fact: { text, call, row: `${last.collection}/${last.id}` } }];
  }
  const later = history.of(id).find((write) => write.entry.number >= entry.number);
  if (later?.change === 'created') {
    const { id: call } = later.entry;
    const text = `${id} was created later, by ${call}, ${distance(later.entry, entry)}.`;
    return [{ fact: { text, call, row: `${collection}/${id}` } }];
  }
  if (!row) return [];
  const fact = {
    text: `${id} exists${ownersOf(row)}, and is not part of what was called.`,
    row: `${collection}/${row.id}`,
  };
  return [{ fact, remedy: rowRemedy(collection, row.id) }];
}

const OWNERS = ['organization_id', 'user_id', 'directory_id', 'connection_id', 'resource_id', 'client_id'];

function ownersOf(row: object): string {
  const members = row as Readonly<Record<string, unknown>>;
  const owners = OWNERS.filter((name) => typeof members[name] === 'string');
  if (owners.length === 0) return '';
  return ` with ${owners.map((name) => `${name} ${String(members[name])}`).join(' and ')}`;
}

function elsewhere(wanted: string, collection: Collection, { environment, environments }: Place): Trace[] {
  const others = environments
    .list()
    .filter((other) => other !== environment && rowOf(wanted, collection, other.tables));
  if (others.length === 0 || rowOf(wanted, collection, environment.tables)) return [];
  const [first] = others;
  const { id } = rowOf(wanted, collection, first!.tables)!;
  const names = others.slice(0, MOST_SHOWN).map(({ name }) => name);
  const more = others.length - names.length;
  const text =
    others.length === 1
      ? `Environment ${first!.name} has it.`
      : `The environments ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''} have it.`;
  const remedy: Remedy = {
    text: `Call environment ${first!.name}: send the header understudy-environment, or a token of it.`,
    method: 'GET',
    path: `/_control/v1/state/${collection}/${encodeURIComponent(id)}`,
    environment: first!.name,
  };
  return [{ fact: { text, row: `${collection}/${id}` }, remedy }];
}

function nearestRows(id: string, collection: Collection, tables: Tables): Fact {
  const table = anyTable(tables, collection);
  const count = table.count();
  if (count === 0) return { text: `The environment has no ${plural(collection)}.` };
  const ids = idsOf(table);
  const near = nearest(id, ids);
  if (near !== undefined) return { text: `The nearest id is ${near}.`, row: `${collection}/${near}` };
  const names = NAMED.has(collection) ? (table.list() as NamedRow[]).map((row) => row?.name ?? '') : [];
  const name = nearest(id, names);
  const named = name === undefined ? undefined : rowOf(name, collection, tables);
  if (named) return { text: `The nearest name is ${name}.`, row: `${collection}/${named.id}` };
  const shown = (names.length > 0 ? names : ids).slice(0, MOST_SHOWN).join(', ');
  return { text: `The environment has ${count} ${plural(collection)}, such as ${shown}.` };
}

function idsOf(table: ReturnType<typeof anyTable>): string[] {
  const ids: string[] = [];
  for (const position of table.bucket().ascending()) {
    ids.push(table.at(position)!.id);
    if (ids.length >= MOST_COMPARED) break;
  }
  return ids;
}

const listRemedy = (collection: Collection): Remedy => ({
  text: `List the ${plural(collection)}.`,
  method: 'GET',
  path: `/_control/v1/state/${collection}`,
});

const rowRemedy = (collection: string, id: string): Remedy => ({
  text: `Show the row ${id}.`,
  method: 'GET',
  path: `/_control/v1/state/${collection}/${encodeURIComponent(id)}`,
});

/** Which call wrote each of the rows last. */
export function rowReasons(rows: readonly string[], entry: Entry, { environment, history }: Place): Reasons {
  const because = rows.map((row): Fact => {
    const [collection = '', id = ''] = row.split(/\/(.*)/s);
    const noun = (TABLES as Record<string, { noun: string } | undefined>)[collection]?.noun ?? 'row';
    const last = history.before(entry, id);
    if (!last) {
      const isOld = environment.journal.hasAllSince('req_0');
      return { text: `${noun} ${id}${isOld ? ' is as the environment began' : ''}.`, row };
    }
    const { id: call } = last.entry;
    return {
      text: `${noun} ${id} was ${last.change} by ${call}, ${distance(last.entry, entry)}.`,
      call,
      row,
    };
  });
  const remedies = rows.map((row) => rowRemedy(...(row.split(/\/(.*)/s) as [string, string])));
  return { because, remedies };
}
