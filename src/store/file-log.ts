import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import type { ChangeLog, Commit } from './change-log.ts';
import { indexLog, parseLog } from './log-lines.ts';
import { StoreError } from './store-error.ts';

/** The change log as a file: one JSON line a commit. */
export class FileLog implements ChangeLog {
  readonly #path: string;
  #fd: number | undefined;
  /** Position of the oldest commit kept, and where each commit begins in the file. */
  #first = 0;
  #starts: number[] = [];
  #bytes = 0;
  /** A refused write may have left part of a line behind `#bytes`. */
  #isTorn = false;
  /** Parsed at opening; forgotten at the first write. */
  #opened: readonly Commit[] | undefined;

  static open(path: string, warn: (message: string) => void): FileLog {
    try {
      return new FileLog(path, warn);
    } catch (thrown) {
      throw StoreError.from(path, thrown);
    }
  }

  private constructor(path: string, warn: (message: string) => void) {
    this.#path = path;
    const fd = openSync(path, 'a+');
    try {
      this.#load(readFileSync(path), fd, warn);
    } catch (thrown) {
      closeSync(fd);
      throw thrown;
    }
    this.#fd = fd;
  }

  get end(): number {
    return this.#first + this.#starts.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(position: number, commit: Commit): void {
    if (position !== this.end) {
      throw new StoreError(`${this.#path}: commit ${position} is out of turn, the next one is ${this.end}`);
    }
    const line = Buffer.from(`${JSON.stringify({ position, ...commit })}\n`);
    this.#write(line);
    this.#starts.push(this.#bytes);
    this.#bytes += line.length;
    this.#opened = undefined;
  }

  read(from: number): readonly Commit[] {
    if (from < this.#first) {
      const gap = `the log begins at commit ${this.#first}, what is before it ends at commit ${from}`;
      throw new StoreError(`${this.#path}:1: ${gap}; the file was left as it is`);
    }
    const index = from - this.#first;
    if (this.#opened) return this.#opened.slice(index);
    const line = { path: this.#path, line: index + 1 };
    return parseLog(this.#tail(index), line).map((entry) => entry.commit);
  }

  /** Keeps the commits from that position on; beyond the end, the log is empty and goes on there. */
  dropBefore(position: number): void {
    if (position <= this.#first) return;
    const index = position - this.#first;
    try {
      if (this.#starts.length > 0) this.#replace(this.#tail(index));
    } catch (thrown) {
      throw StoreError.from(this.#path, thrown);
    }
    const dropped = this.#starts[index] ?? this.#bytes;
    this.#starts = this.#starts.slice(index).map((start) => start - dropped);
    this.#bytes -= dropped;
    this.#first = position;
    this.#opened = undefined;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #load(content: Buffer, fd: number, warn: (message: string) => void): void {
    this.#bytes = content.lastIndexOf('\n') + 1;
    const entries = parseLog(content.subarray(0, this.#bytes), { path: this.#path, line: 1 });
    this.#first = entries[0]?.position ?? 0;
    this.#starts = indexLog(content);
    this.#opened = entries.map((entry) => entry.commit);
    if (this.#bytes === content.length) return;
    ftruncateSync(fd, this.#bytes);
    const torn = `the last line was not finished, its ${content.length - this.#bytes} bytes were cut off`;
    warn(`${this.#path}:${this.#starts.length + 1}: ${torn} (no commit that was answered is lost)`);
  }

  get #file(): number {
    if (this.#fd === undefined) throw new StoreError(`${this.#path} is closed`);
    return this.#fd;
  }

  #write(line: Buffer): void {
    const fd = this.#file;
    try {
      this.#cutTorn(fd);
      this.#isTorn = true;
      writeAll(fd, line);
      this.#isTorn = false;
    } catch (thrown) {
      const refusal = StoreError.from(this.#path, thrown);
      try {
        this.#cutTorn(fd);
      } catch {
        // Still torn: the next append cuts first, and so does the next opening.
      }
      throw refusal;
    }
  }

  #cutTorn(fd: number): void {
    if (this.#isTorn) ftruncateSync(fd, this.#bytes);
    this.#isTorn = false;
  }

  #tail(index: number): Buffer {
    const start = this.#starts[index] ?? this.#bytes;
    const tail = Buffer.alloc(this.#bytes - start);
    for (let done = 0; done < tail.length;) {
      const count = readSync(this.#file, tail, done, tail.length - done, start + done);
      if (count === 0) throw new StoreError(`${this.#path} has become shorter`);
      done += count;
    }
    return tail;
  }

  #replace(content: Buffer): void {
    const tmp = `${this.#path}.tmp`;
    rmSync(tmp, { force: true });
    const fd = openSync(tmp, 'a+');
    try {
      writeAll(fd, content);
      renameSync(tmp, this.#path);
    } catch (thrown) {
      closeSync(fd);
      rmSync(tmp, { force: true });
      throw thrown;
    }
    this.close();
    this.#fd = fd;
    this.#isTorn = false;
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}
