import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from './change-log.ts';
import { DroppedNames } from './dropped-names.ts';
import { FileStore } from './file-store.ts';
import { FolderClaim } from './folder-owner.ts';
import { MemoryLog } from './memory-log.ts';
import { ignoreInGit, makeFolder } from './private-files.ts';
import type { EnvironmentLog, RestingEnvironments, SharedStore, Store } from './storage.ts';

export { StoreError } from './change-log.ts';

const NAME = /^[a-z0-9-]{1,40}$/;
const FILE = /^([a-z0-9-]{1,40})\.(?:json|log)$/;

interface StoreBackend {
  envs: () => Promise<readonly string[]>;
  load: (name: string, onClose: () => void, wanted?: 'existing') => Promise<EnvironmentLog>;
  /** Absent if nothing outlives the process. */
  generation?: Store['generation'];
  /** Absent if no other process can use the store. */
  watch?: Store['watch'];
  refusal?: Store['refusal'];
  shared?: SharedStore | undefined;
  resting?: RestingEnvironments | undefined;
  release: () => Promise<void>;
}

interface FolderSettings {
  warn: (message: string) => void;
  /** Whether commits also survive a loss of power. */
  fsync?: boolean | undefined;
  /** Whether the calls of the environments are stored too. */
  keepsJournal?: boolean | undefined;
}

/** Creates the folder if necessary and is its only owner until closed. */
export async function openFolder(
  folder: string,
  { warn, fsync, keepsJournal }: FolderSettings,
): Promise<Store> {
  try {
    if (makeFolder(folder)) ignoreInGit(folder);
  } catch (thrown) {
    throw StoreError.from(`data folder ${folder} cannot be made`, thrown);
  }
  const claim = await FolderClaim.take(folder, warn);
  const admit = () => claim.assertHeld();
  const dropped = new DroppedNames(folder, { isSynced: fsync === true, admit });
  return createStore({
    envs: async () => environmentsIn(folder),
    load: (name, onClose) =>
      FileStore.open({ name, stem: join(folder, name), warn, fsync, keepsJournal, admit, dropped, onClose }),
    generation: async (name) => dropped.generation(name),
    release: () => {
      dropped.close();
      return claim.release();
    },
  });
}

/** A store without files. */
export function openMemory(): Store {
  return createStore({
    envs: async () => [],
    load: async (name, onClose) => new MemoryLog(name, onClose),
    release: async () => {},
  });
}

/** Checks names, opens each environment once, and closes all. */
export function createStore(backend: StoreBackend): Store {
  const { envs: list, load, generation, watch, refusal, shared, resting, release } = backend;
  const opened = new Map<string, Promise<EnvironmentLog>>();
  return {
    envs: list,
    open: async (name, wanted) => {
      if (!NAME.test(name))
        throw new StoreError(`"${name}" is not an environment name: 1 to 40 of a-z, 0-9 and -`);
      if (opened.has(name)) throw new StoreError(`environment ${name} is open already`);
      const env = load(name, () => opened.delete(name), wanted);
      opened.set(name, env);
      env.catch(() => opened.delete(name)); // the caller of open gets the error
      return env;
    },
    generation: generation ?? (async () => 0),
    shared,
    resting,
    watch: watch ?? (() => {}),
    refusal: refusal ?? (() => undefined),
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
