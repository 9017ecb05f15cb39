import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError, type Collections, type Commit } from './change-log.ts';
import { FileStore } from './file-store.ts';
import { FolderClaim } from './folder-owner.ts';
import { makeFolder } from './private-files.ts';
import { createMemoryDb, type Snapshot, type SnapshotDb } from './snapshot.ts';

export { StoreError } from './change-log.ts';

/** One environment's file and log. */
export interface DurableLogOfEnvironment {
  readonly name: string;
  /** As found on disk when opened. */
  readonly snapshot: Snapshot | undefined;
  /** After the snapshot, oldest first; empty for a new environment. */
  readonly commits: readonly Commit[];
  /** Before the answer is sent. */
  append(commit: Commit): void;
  /** Somebody has deleted, replaced or shortened a file of it: only `beginAgain` can go on. */
  readonly isLost: boolean;
  /** As `append`, of a commit whose `base` is all rows: whatever was kept before counts no more. */
  beginAgain(commit: Commit): void;
  /** The log has grown past its bound: 4 MB, or twice the size of the file if that is more. */
  readonly wantsFold: boolean;
  /**
   * Writes the rows as they are now to the file, then drops what the log holds before.
   * Commits may be appended meanwhile; a second fold waits for the first.
   */
  fold(state: { marks: unknown; collections: Collections }): Promise<void>;
  /** Waits for a running fold. */
  close(): Promise<void>;
  /** File and log are gone. */
  remove(): Promise<void>;
}

export interface Store {
  /** The environments on disk. */
  envs(): readonly string[];
  open(name: string): Promise<DurableLogOfEnvironment>;
  close(): Promise<void>;
}

const NAME = /^[a-z0-9-]{1,40}$/;
const FILE = /^([a-z0-9-]{1,40})\.(?:json|log)$/;

interface Ground {
  envs: () => readonly string[];
  load: (name: string, onClose: () => void) => Promise<DurableLogOfEnvironment>;
  release: () => Promise<void>;
}

export interface FolderSettings {
  warn: (message: string) => void;
  /** Each commit outlives a loss of power, not only the death of the process. */
  fsync?: boolean | undefined;
}

/** Makes the folder where it is missing, and is its only owner until closed. */
export async function openFolder(folder: string, { warn, fsync }: FolderSettings): Promise<Store> {
  try {
    makeFolder(folder);
  } catch (thrown) {
    throw StoreError.from(`data folder ${folder} can not be made`, thrown);
  }
  const claim = await FolderClaim.take(folder, warn);
  const admit = () => claim.assertHeld();
  return createStore({
    envs: () => environmentsIn(folder),
    load: (name, onClose) => FileStore.open({ name, stem: join(folder, name), warn, fsync, admit, onClose }),
    release: () => claim.release(),
  });
}

/** No file, no lock, no log. */
export function openMemory(): Store {
  return createStore({
    envs: () => [],
    load: async (name, onClose) => new MemoryStoreOfEnvironment(name, onClose),
    release: async () => {},
  });
}

function createStore({ envs: list, load, release }: Ground): Store {
  const opened = new Map<string, Promise<DurableLogOfEnvironment>>();
  return {
    envs: list,
    open: async (name) => {
      if (!NAME.test(name))
        throw new StoreError(`"${name}" is not an environment name: 1 to 40 of a-z, 0-9 and -`);
      if (opened.has(name)) throw new StoreError(`environment ${name} is open already`);
      const env = load(name, () => opened.delete(name));
      opened.set(name, env);
      env.catch(() => opened.delete(name)); // The caller of open hears of it.
      return env;
    },
    close: async () => {
      for (const opening of await Promise.allSettled(opened.values())) {
        if (opening.status === 'fulfilled') await opening.value.close();
      }
      await release();
    },
  };
}

function environmentsIn(folder: string): readonly string[] {
  const names = readdirSync(folder).flatMap((file) => FILE.exec(file)?.[1] ?? []);
  return [...new Set(names)].toSorted();
}

/** An environment that nothing outlives. */
export class MemoryStoreOfEnvironment implements DurableLogOfEnvironment {
  readonly name: string;
  readonly snapshot = undefined;
  readonly commits: readonly Commit[] = [];
  readonly wantsFold = false;
  readonly isLost = false;
  readonly #onClose: () => void;
  readonly #db: SnapshotDb = createMemoryDb();
  #position = 0;

  constructor(name: string, onClose: () => void) {
    this.name = name;
    this.#onClose = onClose;
  }

  append(_commit: Commit): void {
    this.#position++;
  }

  beginAgain(_commit: Commit): void {
    this.#position++;
  }

  async fold({ marks, collections }: { marks: unknown; collections: Collections }): Promise<void> {
    this.#db.data = { position: this.#position, marks, collections };
    await this.#db.write();
  }

  async close(): Promise<void> {
    this.#onClose();
  }

  async remove(): Promise<void> {
    this.#onClose();
  }
}
