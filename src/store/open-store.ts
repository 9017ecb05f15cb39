import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Store } from './storage.ts';
import { openFolder, openMemory } from './store.ts';

/** Opens the database, the data folder or memory, as the settings say. The driver of the database is loaded on demand. */
export async function openStore({ data, store, fsync, lease }: Config, { warn }: Log): Promise<Store> {
  if (store !== undefined) {
    const { openDatabase } = await import('./postgres/postgres-store.ts');
    return openDatabase(store, { warn, lease });
  }
  if (data === undefined) return openMemory();
  return openFolder(data, { warn, fsync });
}

/** Names the data folder, once its content could be read. */
export function logFolder({ data, store }: Config, { info }: Log): void {
  if (data === undefined || store !== undefined) return;
  const folder = resolve(data);
  info(`the state is kept in ${folder}`, { folder });
}
