import { anyTable, COLLECTIONS, TABLES } from '../state/schema.ts';
import type { Tables, Collection } from '../state/env.ts';
import type { Environment } from '../environment/environment.ts';
import { collectionOf, rowOf } from './state.ts';
import type { ControlOperations } from './handler.ts';

type Row = Readonly<Record<string, unknown>>;

export const related = {
  Control_GetRelated({ path }, { environment }) {
    const { tables } = environment;
    const collection = collectionOf(path.collection);
    const row = rowOf(tables, collection, path.id) as Row;
    return {
      name: nameOf(tables, collection, row),
      references: referencesOf(tables, collection, row),
      related: relatedTo(environment, collection, path.id),
    };
  },

  Control_NameRows({ query }, { environment: { tables } }) {
    const ids = [...new Set(query.ids.split(','))];
    const rows = ids.flatMap((id) => {
      const collection = COLLECTIONS.find((name) => anyTable(tables, name).has(id));
      if (!collection) return [];
      return [{ id, collection, name: nameOf(tables, collection, anyTable(tables, collection).get(id)) }];
    });
    return { rows };
  },
} satisfies Partial<ControlOperations>;

/** Members by which people recognize a row, the most telling first. */
const TELLING = [
  'display_name',
  'name',
  'email',
  'identifier',
  'domain',
  'title',
  'subject',
  'url',
  'event_type',
  'type',
  'provider',
  'slug',
] as const;

const LONGEST_NAME = 80;

/** A text by which people recognize the row; the id of a row that has none. */
function nameOf(tables: Tables, collection: Collection, row: object, depth = 0): string {
  const members = row as Row;
  for (const member of TELLING) {
    const value = members[member];
    if (typeof value === 'string' && value !== '') return value.slice(0, LONGEST_NAME);
  }
  // A membership is called after its user, and a session, too.
  const [to, id] = namesakeOf(collection, members) ?? [];
  const namesake = to && id !== undefined && depth < 2 ? anyTable(tables, to).find(id) : undefined;
  return namesake ? nameOf(tables, to!, namesake, depth + 1) : String(members['id']);
}

const NAMESAKES = ['user_id', 'connected_account_id', 'connection_id', 'organization_id', 'client_id'];

function namesakeOf(collection: Collection, row: Row): [Collection, string] | undefined {
  const references = referencesFrom(collection);
  for (const member of NAMESAKES) {
    const [to, id] = [references[member]?.to, row[member]];
    if (to && typeof id === 'string') return [to, id];
  }
  return undefined;
}

const referencesFrom = (collection: Collection): Readonly<Record<string, { to: Collection } | undefined>> =>
  (TABLES[collection] as { references?: Record<string, { to: Collection }> }).references ?? {};

/** The rows that the row names, in the order of its members. */
function referencesOf(tables: Tables, collection: Collection, row: Row) {
  const references = referencesFrom(collection);
  return Object.entries(row).flatMap(([member, value]) => {
    const to = references[member]?.to;
    if (!to) return [];
    return [value].flat().flatMap((id) => {
      const found = typeof id === 'string' ? anyTable(tables, to).find(id) : undefined;
      return found ? [{ member, collection: to, id: found.id, name: nameOf(tables, to, found) }] : [];
    });
  });
}

/** How many rows name this one. Each reference has an index, so no row is read but the first ones of each list. */
function relatedTo({ tables }: Environment, collection: Collection, id: string) {
  return COLLECTIONS.flatMap((from) =>
    Object.entries(referencesFrom(from)).flatMap(([member, reference]) => {
      if (reference?.to !== collection) return [];
      const table = anyTable(tables, from);
      const count = table.count(member, id);
      if (count === 0) return [];
      const first: { id: string; name: string }[] = [];
      for (const position of table.bucket(member, id).ascending()) {
        const row = table.at(position)!;
        first.push({ id: row.id, name: nameOf(tables, from, row) });
        if (first.length >= MOST_FIRST) break;
      }
      return [{ collection: from, member, count, first }];
    }),
  );
}

const MOST_FIRST = 5;
