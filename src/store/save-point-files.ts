import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StoreError } from './change-log.ts';
import { createSnapshotDb, SnapshotFile } from './snapshot.ts';
import type { EnvironmentState, SavePointStore } from './storage.ts';

interface SavePointFilesPlace {
  /** `<folder>/<name>`, without extension. */
  stem: string;
  fsync: boolean;
  /** Throws while nothing may be written. */
  admit: () => void;
}

/** Save points of one environment as `<name>.save-<number>.json`. */
export class SavePointFiles implements SavePointStore {
  readonly #place: SavePointFilesPlace;

  constructor(place: SavePointFilesPlace) {
    this.#place = place;
  }

  async write(id: number, { marks, collections }: EnvironmentState): Promise<void> {
    this.#place.admit();
    const db = this.#db(id);
    db.data = { position: 0, marks, collections };
    await db.write();
  }

  async read(id: number): Promise<EnvironmentState> {
    const db = this.#db(id);
    await db.read();
    if (!db.data) throw new StoreError(`${this.#path(id)} is missing`);
    return db.data;
  }

  async keepOnly(ids: readonly number[]): Promise<void> {
    const { stem, admit } = this.#place;
    const [folder, name] = [dirname(stem), basename(stem)];
    const kept = new Set(ids.map((id) => basename(this.#path(id))));
    const others = (await readdir(folder)).filter((file) => isSavePointOf(name, file) && !kept.has(file));
    if (others.length === 0) return;
    admit();
    for (const file of others) await rm(join(folder, file), { force: true });
  }

  #db(id: number) {
    return createSnapshotDb(new SnapshotFile(this.#path(id), this.#place.fsync));
  }

  #path(id: number): string {
    return `${this.#place.stem}.save-${id}.json`;
  }
}

const isSavePointOf = (name: string, file: string): boolean =>
  file.startsWith(`${name}.save-`) && /^\d+\.json(\.tmp)?$/.test(file.slice(name.length + '.save-'.length));
