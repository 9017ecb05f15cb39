import { rm, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StoreError, type Commit } from './change-log.ts';
import type { DroppedNames } from './dropped-names.ts';
import { FileLog } from './file-log.ts';
import { JournalFile } from './journal-file.ts';
import { createSnapshotDb, SnapshotFile, type Snapshot, type SnapshotDb } from './snapshot.ts';
import type { EnvironmentLog, EnvironmentState, SavePointStore } from './storage.ts';

const SMALLEST_BOUND = 4 * 1024 * 1024;

interface FileStoreParts {
  name: string;
  /** `<folder>/<name>`, without extension. */
  stem: string;
  file: SnapshotFile;
  db: SnapshotDb;
  log: FileLog;
  savePoints: SavePointFiles;
  journal: JournalFile | undefined;
  admit: () => void;
  dropped: DroppedNames;
  onClose: () => void;
}

interface FileStorePlace {
  name: string;
  stem: string;
  warn: (message: string) => void;
  fsync?: boolean | undefined;
  /** Whether the calls are stored too. */
  keepsJournal?: boolean | undefined;
  /** Throws while nothing may be written. */
  admit: () => void;
  dropped: DroppedNames;
  onClose: () => void;
}

/** An environment stored as `<name>.json` and `<name>.log`, and its calls as `<name>.journal`. */
export class FileStore implements EnvironmentLog {
  readonly name: string;
  snapshot: Snapshot | undefined;
  commits: readonly Commit[];
  readonly idle = 0;
  readonly isOver = false;
  readonly savePoints: SavePointFiles;
  readonly journal: JournalFile | undefined;
  readonly #parts: FileStoreParts;
  #lastFold: Promise<void> = Promise.resolve();
  #foldsRunning = 0;
  #boundAfterFailure = 0;
  #isClosed = false;

  static async open(place: FileStorePlace): Promise<FileStore> {
    const { name, stem, warn, fsync = false, keepsJournal = false, admit, dropped, onClose } = place;
    const file = new SnapshotFile(`${stem}.json`, fsync);
    const db = createSnapshotDb(file);
    await db.read();
    const position = db.data?.position;
    const log = FileLog.open({ path: `${stem}.log`, warn, fsync });
    try {
      const commits = [...log.after(position)];
      if (position !== undefined) dropFolded(log, position);
      const savePoints = new SavePointFiles({ stem, fsync, admit });
      const isNew = !db.data && commits.length === 0;
      const path = `${stem}.journal`;
      const journal = keepsJournal ? JournalFile.open({ path, warn, admit, isNew }) : undefined;
      return new FileStore(
        { name, stem, file, db, log, savePoints, journal, admit, dropped, onClose },
        commits,
      );
    } catch (thrown) {
      log.close();
      throw thrown;
    }
  }

  private constructor(parts: FileStoreParts, commits: readonly Commit[]) {
    this.#parts = parts;
    this.name = parts.name;
    this.commits = commits;
    this.savePoints = parts.savePoints;
    this.journal = parts.journal;
    this.snapshot = parts.db.data ?? undefined;
    parts.db.data = null;
  }

  /** The log is larger than 4 MB and than twice the snapshot. */
  get wantsFold(): boolean {
    const { file, log } = this.#parts;
    const bound = Math.max(SMALLEST_BOUND, 2 * file.bytes, this.#boundAfterFailure);
    return this.#foldsRunning === 0 && log.bytes > bound;
  }

  get isLost(): boolean {
    const { file, log } = this.#parts;
    return !this.#isClosed && (log.isLost || file.isLost);
  }

  append(commit: Commit): void {
    this.#refuseClosed();
    const { admit, log } = this.#parts;
    admit();
    log.append(log.end, commit);
  }

  beginAgain(commit: Commit): void {
    this.#refuseClosed();
    const { admit, log } = this.#parts;
    admit();
    log.beginAgain(commit);
  }

  begin(state: EnvironmentState): Promise<void> {
    [this.snapshot, this.commits] = [undefined, []];
    return this.fold(state);
  }

  /** `append` returns after the write. */
  kept(): undefined {
    return undefined;
  }

  async fold(state: EnvironmentState): Promise<void> {
    this.#refuseClosed();
    const { marks, collections } = state;
    const snapshot = { position: this.#parts.log.end, marks, collections };
    this.#foldsRunning++;
    const fold = this.#lastFold.then(() => this.#replaceFile(snapshot)).finally(() => this.#foldsRunning--);
    this.#lastFold = fold.catch(() => {}); // the caller of this fold gets the error
    return fold;
  }

  finish(state: EnvironmentState): Promise<void> {
    return this.fold(state);
  }

  async close(): Promise<void> {
    const wasClosed = this.#isClosed;
    this.#isClosed = true;
    await this.#lastFold;
    if (wasClosed) return;
    this.#parts.log.close();
    this.journal?.close();
    this.#parts.onClose();
  }

  async remove(next: number): Promise<void> {
    this.#refuseClosed();
    this.#parts.dropped.add(this.name, next);
    this.#isClosed = true;
    await this.#lastFold;
    const { stem, log, onClose } = this.#parts;
    log.close();
    this.journal?.close();
    // The log goes first: the snapshot can be opened without a log, but not the other way round.
    for (const ending of ENDINGS) await rm(stem + ending, { force: true });
    await this.savePoints.keepOnly([]);
    onClose();
  }

  async #replaceFile(snapshot: Snapshot): Promise<void> {
    const { admit, db, log } = this.#parts;
    try {
      admit();
      db.data = snapshot;
      await db.write();
      log.dropBefore(snapshot.position);
    } catch (thrown) {
      this.#boundAfterFailure = 2 * log.bytes;
      throw thrown;
    } finally {
      db.data = null;
    }
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new StoreError(`environment ${this.name} is closed`);
  }
}

const ENDINGS = ['.log', '.log.tmp', '.json', '.json.tmp', '.journal', '.journal.tmp'];

/** Commits that the snapshot contains are dropped later if nothing can be written now. */
function dropFolded(log: FileLog, position: number): void {
  try {
    log.dropBefore(position);
  } catch (thrown) {
    if (log.end < position) throw thrown;
  }
}

interface SavePointFilesPlace {
  /** `<folder>/<name>`, without extension. */
  stem: string;
  fsync: boolean;
  /** Throws while nothing may be written. */
  admit: () => void;
}

/** Save points of one environment as `<name>.save-<number>.json`. */
class SavePointFiles implements SavePointStore {
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
