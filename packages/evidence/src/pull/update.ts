import { FixtureError } from '@understudy/core/fixtures/fixture-error';
import { COLLECTIONS } from '@understudy/core/state/schema';
import type { Collection } from '@understudy/core/state/env';
import { isObject, parseJson } from '@understudy/text/json';
import type { Rows } from './fixture-rows.ts';
import { PULLED } from './pull.ts';
import type { PulledRow } from './pulled.ts';

/** A fixture that an earlier pull has written, perhaps with changes by hand. */
export interface PulledFile {
  /** What is no collection. */
  head: Record<string, unknown>;
  rows: Rows;
}

/** Members that a person may have added to a row, and that no list gives. */
const ADDED: Partial<Record<Collection, readonly string[]>> = {
  tools: ['response', 'answers', 'connection_id', 'mcp_tool'],
  providers: ['scopes', 'api_config_keys', 'mcp', 'records'],
  connected_accounts: [
    'organization_id',
    'user_id',
    'client_id',
    'authorization_details',
    'api_config',
    'refresh_fails',
  ],
  connections: ['mcp_server_url'],
  memberships: ['invitation_token', 'proved_connection_ids', 'resent_at'],
  domains: ['txt_record_found', 'verify_before'],
  directories: ['chosen_groups'],
};

/** Throws FixtureError. */
export function readPulledFile(path: string, text: string): PulledFile {
  const content = parse(path, text);
  if (!isObject(content)) throw new FixtureError(`${path}: a fixture is an object of collections`);
  if (content['include'] !== undefined)
    throw new FixtureError(`${path}: include: --update takes a file that \`understudy pull\` has written`);
  const isCollection = (name: string) => (COLLECTIONS as string[]).includes(name);
  const [head, lists] = [false, true].map((wanted) =>
    Object.fromEntries(Object.entries(content).filter(([name]) => isCollection(name) === wanted)),
  ) as [Record<string, unknown>, Record<string, unknown>];
  for (const [name, list] of Object.entries(lists))
    if (!Array.isArray(list) || !list.every((row) => isObject(row) && typeof row['id'] === 'string'))
      throw new FixtureError(`${path}: ${name}: a list of rows with ids`);
  return { head, rows: lists as Rows };
}

function parse(path: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (thrown) {
    throw new FixtureError(`${path}: ${(thrown as Error).message}`);
  }
}

/**
 * Pulled rows win, and rows that are gone go. Collections without a list and settings of one's own stay, and so do rows of
 * a collection of which a list was refused (`unread`).
 */
export function mergedWith(
  earlier: PulledFile | undefined,
  pulled: Rows,
  unread: ReadonlySet<Collection>,
): Rows {
  if (!earlier) return pulled;
  const entries = COLLECTIONS.flatMap((collection) => {
    const own = earlier.rows[collection] ?? [];
    const isListed = PULLED.has(collection) && (collection !== 'settings' || pulled.settings !== undefined);
    const found = pulled[collection] ?? [];
    const read = isListed ? merged(collection, own, found) : union(own, found);
    const list = unread.has(collection) ? union(read, own) : read;
    return list.length > 0 ? [[collection, list] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** All of the first rows, and those of the second that the first lack. */
const union = (own: readonly PulledRow[], added: readonly PulledRow[]): readonly PulledRow[] => {
  const ids = new Set(own.map(({ id }) => id));
  return [...own, ...added.filter(({ id }) => !ids.has(id))];
};

function merged(
  collection: Collection,
  own: readonly PulledRow[],
  pulled: readonly PulledRow[],
): readonly PulledRow[] {
  const known = new Map(own.map((row) => [row.id, row]));
  if (collection === 'settings') return pulled.map((row) => ({ ...known.get(row.id), ...row }));
  return pulled.map((row) => ({ ...row, ...addedTo(collection, known.get(row.id)) }));
}

const addedTo = (collection: Collection, row: PulledRow | undefined): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row ?? {}).filter(([name]) => ADDED[collection]?.includes(name)));
