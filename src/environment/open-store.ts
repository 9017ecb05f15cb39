import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Config } from '../start/config.ts';
import type { Log } from '@understudy/text/log';
import type { DatabaseSettings, Store } from '../store/storage.ts';
import { openFolder, openMemory } from '../store/store.ts';

export type OpenDatabase = (url: string, settings: DatabaseSettings) => Promise<Store>;

/** Opens the database, the data folder or memory, as the settings say. `fixtureDigest` is called only for a database. */
export async function openStore(
  config: Config,
  { warn }: Log,
  openDatabase: OpenDatabase,
  fixtureDigest: () => string,
): Promise<Store> {
  const { data, store, fsync, journalStore: keepsJournal } = config;
  if (store !== undefined) {
    const shared = sharedSettings(config, fixtureDigest());
    return openDatabase(store, { warn, shared });
  }
  if (data === undefined) return openMemory();
  return openFolder(data, { warn, fsync, keepsJournal });
}

/** Each process may be the one that makes `default`, so these must be the same everywhere. */
function sharedSettings(config: Config, fixture: string): Record<string, string> {
  const { seed, credentials, scenarios } = config;
  const { client_id, client_secret } = credentials;
  const hashed = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('base64url');
  return {
    fixture,
    seed: hashed(seed),
    'client id or secret': hashed([client_id, client_secret]),
    'list of scenarios': hashed(scenarios),
  };
}

/** Names the data folder, once its content could be read. */
export function logFolder({ data, store }: Config, { info }: Log): void {
  if (data === undefined || store !== undefined) return;
  const folder = resolve(data);
  info(`the state is kept in ${folder}`, { folder });
}
