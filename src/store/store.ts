import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError, type Collections, type Commit } from './change-log.ts';
import { FileStore, type EnvironmentLog } from './file-store.ts';
import { FolderClaim } from './folder-owner.ts';
import { ignoreInGit, makeFolder } from './private-files.ts';
import { createMemoryDb, type SnapshotDb } from './snapshot.ts';

export { StoreError } from './change-log.ts';

export interface Store {
  /** The environments on disk. */
  envs(): readonly string[];
  open(name: string): Promise<EnvironmentLog>;
  close(): Promise<void>;
}

const NAME = /^[a-z0-9-]{1,40}$/;
const FILE = /^([a-z0-9-]{1,40})\.(?:json|log)$/;

interface StoreBackend {
  envs: () => readonly string[];
  load: (name: string, onClose: () => void) => Promise<EnvironmentLog>;
  release: () => Promise<void>;
}

export interface FolderSettings {
  warn: (message: string) => void;
  /** Whether commits also survive a loss of power. */
  fsync?: boolean | undefined;
}

/** Creates the folder if necessary and is its only owner until closed. */
export async function openFolder(folder: string, { warn, fsync }: FolderSettings): Promise<Store> {
  try {
    if (makeFolder(folder)) ignoreInGit(folder);
  } catch (thrown) {
    throw StoreError.from(`data folder ${folder} cannot be made`, thrown);
  }
  const claim = await FolderClaim.take(folder, warn);
  const admit = () => claim.assertHeld();
  return createStore({
    envs: () => environmentsIn(folder),
    load: (name, onClose) => FileStore.open({ name, stem: join(folder, name), warn, fsync, admit, onClose }),
    release: () => claim.release(),
  });
}

/** A store without files. */
export function openMemory(): Store {
  return createStore({
    envs: () => [],
    load: async (name, onClose) => new MemoryLog(name, onClose),
    release: async () => {},
  });
}

function createStore({ envs: list, load, release }: StoreBackend): Store {
  const opened = new Map<string, Promise<EnvironmentLog>>();
  return {
    envs: list,
    open: async (name) => {
      if (!NAME.test(name))
        throw new StoreError(`"${name}" is not an environment name: 1 to 40 of a-z, 0-9 and -`);
      if (opened.has(name)) throw new StoreError(`environment ${name} is open already`);
      const env = load(name, () => opened.delete(name));
      opened.set(name, env);
      env.catch(() => opened.delete(name)); // the caller of open gets the error
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

/** An environment that ends with the process. */
export class MemoryLog implements EnvironmentLog {
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
