import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Store } from './storage.ts';
import { openFolder, openMemory } from './store.ts';

/** Opens the database, the data folder or memory, as the settings say. The driver of the database is loaded on demand. */
export async function openStore({ data, store, fsync, lease }: Config, { warn, info }: Log): Promise<Store> {
  if (store !== undefined) {
    const { openDatabase } = await import('./postgres/postgres-store.ts');
    return openDatabase(store, { warn, lease });
  }
  if (data === undefined) return openMemory();
  const opened = await openFolder(data, { warn, fsync });
  const folder = resolve(data);
  info(`the state is kept in ${folder}`, { folder });
  return opened;
}
