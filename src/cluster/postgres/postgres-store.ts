import type { DatabaseSettings, Store } from '../../store/storage.ts';
import { createStore } from '../../store/store.ts';
import { Database } from './database.ts';
import { JournalQueue } from './journal-queue.ts';
import { heartbeatTimeout, Lease } from './lease.ts';
import { Ownership } from './ownership.ts';
import { peersIn } from './peers.ts';
import { restingIn } from './resting.ts';
import { migrate } from './schema.ts';

/** Connections for everything but heartbeats. */
const CONNECTIONS = 4;

/** Opens the database, creates or migrates its tables, and is one of those that share it until closed. */
export async function openDatabase(url: string, settings: DatabaseSettings): Promise<Store> {
  const { warn, lease: length, shared, keepsJournal } = settings;
  const database = await Database.open(url, { timeout: Math.max(length, 2000), connections: CONNECTIONS });
  const beating = await Database.open(url, { timeout: heartbeatTimeout(length), connections: 1 });
  const close = () => Promise.all([database.close(), beating.close()]);
  try {
    await migrate(database);
    const owner = new Ownership(database, keepsJournal ? new JournalQueue(database, warn) : undefined);
    const own = { database: beating, length, warn, settings: shared, address: settings.address ?? null };
    const lease = await Lease.take(own, owner);
    owner.begin(lease);
    return createStore({
      envs: async () => [], // `watch` tells which are to be opened, and a call wakes any other
      load: (name, onClose, wanted) => owner.open(name, onClose, wanted),
      watch: (listener) => owner.watch(listener),
      refusal: () => lease.refusal(),
      peers: await peersIn(database, lease, () => owner.unstored()),
      resting: restingIn(database),
      release: async () => {
        await lease.release();
        await close();
      },
    });
  } catch (thrown) {
    await close();
    throw thrown;
  }
}
