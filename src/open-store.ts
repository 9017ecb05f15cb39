import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { ConfigError, type Config } from './config.ts';
import type { Log } from './log.ts';
import type { Controls } from './control/handler.ts';
import type { CallForwarding } from './server/app.ts';
import type { DatabaseSettings, Peers, Store } from './store/storage.ts';
import { openFolder, openMemory } from './store/store.ts';

/** What several processes need that serve the same environments: `src/cluster/`. */
interface Cluster {
  openDatabase: (url: string, settings: DatabaseSettings) => Promise<Store>;
  Forwarding: new (
    controls: Controls,
    peers: Peers,
    settings: Pick<Config, 'advertise' | 'lease'>,
  ) => CallForwarding;
}

let load: (() => Promise<Cluster>) | undefined;
// The only import of `src/cluster/`: without that folder and this line, everything but `--store` works.
load = () => import('./cluster/cluster.ts');

/** Loaded on demand, because most processes need none of it. */
export async function openCluster(): Promise<Cluster> {
  if (!load) throw new ConfigError('--store: this build of Understudy cannot use a database');
  return load();
}

/**
 * Opens the database, the data folder or memory, as the settings say. The driver of the database is loaded on demand.
 * `fixtureDigest` is called only for a database.
 */
export async function openStore(config: Config, { warn }: Log, fixtureDigest: () => string): Promise<Store> {
  const { data, store, fsync, lease, advertise: address, journalStore: keepsJournal } = config;
  if (store !== undefined) {
    const { openDatabase } = await openCluster();
    const shared = sharedSettings(config, fixtureDigest());
    return openDatabase(store, { warn, lease, shared, address, keepsJournal });
  }
  if (data === undefined) return openMemory();
  return openFolder(data, { warn, fsync, keepsJournal });
}

/** Each process may become the owner of `default`, so that these must be the same everywhere. */
function sharedSettings(config: Config, fixture: string): Record<string, string> {
  const { seed, credentials, scenarios, journalStore } = config;
  const { client_id, client_secret } = credentials;
  const hashed = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('base64url');
  return {
    fixture,
    seed: hashed(seed),
    'client id or secret': hashed([client_id, client_secret]),
    'list of scenarios': hashed(scenarios),
    // A process that does not store calls would leave those of another one after a reset.
    '--journal-store': hashed(journalStore),
  };
}

/** Names the data folder, once its content could be read. */
export function logFolder({ data, store }: Config, { info }: Log): void {
  if (data === undefined || store !== undefined) return;
  const folder = resolve(data);
  info(`the state is kept in ${folder}`, { folder });
}
