import {
  closeSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { codeOf, makePrivate, PRIVATE_FILE, refusesWrites, syncFolderOf } from './private-files.ts';
import { StoreError } from './change-log.ts';

/** A file that grows by whole lines. An incomplete line of a failed write is cut off before the next one. */
export class LogFile {
  readonly path: string;
  readonly #isSynced: boolean;
  #fd: number | undefined;
  #inode: number | undefined;
  #bytes = 0;
  /** An incomplete line may follow `#bytes`. */
  #isTorn = false;
  #isClosed = false;

  /** `isSynced`: writes survive a loss of power. */
  constructor(path: string, isSynced: boolean) {
    this.path = path;
    this.#isSynced = isSynced;
    makePrivate(path);
    try {
      this.#open();
    } catch (thrown) {
      if (!refusesWrites(thrown)) throw thrown;
      // The file can still be read. The next write opens it or says why that fails.
    }
  }

  /** Size of the complete lines. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Somebody has deleted, replaced or shortened the file since the last write. */
  get isLost(): boolean {
    if (this.#fd === undefined) return false;
    const found = statSync(this.path, { throwIfNoEntry: false });
    return !found || found.ino !== this.#inode || found.size < this.#bytes;
  }

  /** Everything in the file; the last line may be incomplete. */
  content(): Buffer {
    try {
      return readFileSync(this.path);
    } catch (thrown) {
      if (this.#fd === undefined && codeOf(thrown) === 'ENOENT') return Buffer.alloc(0);
      throw thrown;
    }
  }

  /** Only these bytes count. The rest is cut off now or, if that fails, before the next write. */
  cutTo(bytes: number, found: number): void {
    this.#bytes = bytes;
    this.#isTorn = bytes < found;
    if (this.#fd !== undefined) this.#cutTorn(this.#fd);
  }

  append(line: Buffer): void {
    try {
      const fd = this.#open();
      this.#cutTorn(fd);
      this.#isTorn = true;
      writeAll(fd, line);
      if (this.#isSynced) fdatasyncSync(fd);
      this.#isTorn = false;
    } catch (thrown) {
      const refusal = StoreError.from(this.path, thrown);
      try {
        if (this.#fd !== undefined) this.#cutTorn(this.#fd);
      } catch {
        // The next write or the next opening cuts off the incomplete line.
      }
      throw refusal;
    }
    this.#bytes += line.length;
  }

  /** The complete lines from that offset on. */
  read(start: number): Buffer {
    const tail = Buffer.alloc(this.#bytes - start);
    for (let done = 0; done < tail.length;) {
      const count = readSync(this.#open(), tail, done, tail.length - done, start + done);
      if (count === 0) throw new StoreError(`${this.path} has become shorter`);
      done += count;
    }
    return tail;
  }

  /** Replaces the whole content or changes nothing. */
  replace(content: Buffer): void {
    const tmp = `${this.path}.tmp`;
    try {
      rmSync(tmp, { force: true });
      const fd = openSync(tmp, 'a+', PRIVATE_FILE);
      try {
        writeAll(fd, content);
        if (this.#isSynced) fdatasyncSync(fd);
        renameSync(tmp, this.path);
      } catch (thrown) {
        closeSync(fd);
        rmSync(tmp, { force: true });
        throw thrown;
      }
      this.#bytes = content.length;
      this.#isTorn = false;
      this.#take(fd);
    } catch (thrown) {
      throw StoreError.from(this.path, thrown);
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    this.#isClosed = true;
  }

  #open(): number {
    if (this.#isClosed) throw new StoreError(`${this.path} is closed`);
    if (this.#fd === undefined) this.#take(openSync(this.path, 'a+', PRIVATE_FILE));
    return this.#fd!;
  }

  #take(fd: number): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = fd;
    this.#inode = undefined; // counts as lost if one of the next calls fails
    if (this.#isSynced) syncFolderOf(this.path);
    this.#inode = statSync(this.path).ino;
  }

  #cutTorn(fd: number): void {
    if (this.#isTorn) ftruncateSync(fd, this.#bytes);
    this.#isTorn = false;
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}
