import { isObject } from '../text/json.ts';
import { flawInCommit, isPosition, StoreError, type Commit, type Flaw } from './change-log.ts';
import { parseJson } from './snapshot.ts';
import { LogFile } from './log-file.ts';

interface LogPlace {
  path: string;
  warn: (message: string) => void;
  /** Whether commits also survive a loss of power. */
  fsync?: boolean | undefined;
}

/** The change log as a file with one JSON line for each commit. */
export class FileLog {
  readonly #file: LogFile;
  readonly #warn: (message: string) => void;
  /** Position of the oldest commit, and the offset of each commit in the file. */
  #first = 0;
  #starts: number[] = [];
  /** The commits parsed at opening; dropped at the first write. */
  #opened: readonly Commit[] | undefined;

  static open(place: LogPlace): FileLog {
    try {
      return new FileLog(place);
    } catch (thrown) {
      throw StoreError.from(place.path, thrown);
    }
  }

  private constructor({ path, warn, fsync = false }: LogPlace) {
    this.#warn = warn;
    this.#file = new LogFile(path, fsync);
    try {
      this.#load(this.#file.content());
    } catch (thrown) {
      this.#file.close();
      throw thrown;
    }
  }

  /** Position of the next commit. */
  get end(): number {
    return this.#first + this.#starts.length;
  }

  get bytes(): number {
    return this.#file.bytes;
  }

  /** Somebody has deleted, replaced or shortened the file; only `beginAgain` can continue. */
  get isLost(): boolean {
    return this.#file.isLost;
  }

  /** The commit survives the death of the process. Throws if `position` is not `end`. */
  append(position: number, commit: Commit): void {
    if (position !== this.end) {
      const next = `commit ${position} is out of turn, the next one is ${this.end}`;
      throw new StoreError(`${this.#file.path}: ${next}`);
    }
    const start = this.bytes;
    this.#file.append(lineOf(position, commit));
    this.#starts.push(start);
    this.#opened = undefined;
  }

  /** Writes a commit with all rows, which replaces the whole file. */
  beginAgain(commit: Commit): void {
    const { end } = this;
    this.#file.replace(lineOf(end, commit));
    this.#first = end;
    this.#starts = [0];
    this.#opened = undefined;
  }

  /** All commits from that position on, oldest first. */
  read(from: number): readonly Commit[] {
    const { path } = this.#file;
    const index = Math.max(0, from - this.#first);
    const line = { path, line: index + 1 };
    const read = () => parseLog(this.#tail(index), line).map((entry) => entry.commit);
    const commits = this.#opened?.slice(index) ?? read();
    if (from >= this.#first || isSelfContained(commits[0])) return commits;
    const gap = `the log begins at commit ${this.#first}, but the snapshot ends at commit ${from}`;
    throw new StoreError(`${path}:1: ${gap}; the file was left as it is`);
  }

  /** Keeps the commits from that position on. A position beyond the end empties the log and continues there. */
  dropBefore(position: number): void {
    if (position <= this.#first) return;
    const index = position - this.#first;
    const dropped = this.#starts[index] ?? this.bytes;
    if (this.#starts.length > 0) this.#file.replace(this.#tail(index));
    this.#starts = this.#starts.slice(index).map((start) => start - dropped);
    this.#first = position;
    this.#opened = undefined;
  }

  close(): void {
    this.#file.close();
  }

  #load(content: Buffer): void {
    const bytes = content.lastIndexOf('\n') + 1;
    const { path } = this.#file;
    const entries = parseLog(content.subarray(0, bytes), { path, line: 1 });
    this.#first = entries[0]?.position ?? 0;
    this.#starts = indexLog(content);
    this.#opened = entries.map((entry) => entry.commit);
    this.#file.cutTo(bytes, content.length);
    if (bytes === content.length) return;
    const torn = `the last line was not finished, its ${content.length - bytes} bytes were cut off`;
    this.#warn(`${path}:${this.#starts.length + 1}: ${torn} (no commit that was answered is lost)`);
  }

  #tail(index: number): Buffer {
    return this.#file.read(this.#starts[index] ?? this.bytes);
  }
}

const lineOf = (position: number, commit: Commit) =>
  Buffer.from(`${JSON.stringify({ position, ...commit })}\n`);

/** A commit with all rows needs no earlier commit. */
const isSelfContained = (commit: Commit | undefined): boolean => typeof commit?.base === 'object';

interface LogEntry {
  position: number;
  commit: Commit;
}

/** The offset of each complete line. */
function indexLog(content: Buffer): number[] {
  const starts: number[] = [];
  for (let start = 0; content.includes('\n', start); start = content.indexOf('\n', start) + 1)
    starts.push(start);
  return starts;
}

/** Throws a StoreError that names the invalid line. */
function parseLog(content: Buffer, first: { path: string; line: number }): LogEntry[] {
  const starts = indexLog(content);
  const entries: LogEntry[] = [];
  for (const [index, start] of starts.entries()) {
    const bytes = content.subarray(start, (starts[index + 1] ?? content.length) - 1);
    const before = entries.at(-1);
    const line = { path: first.path, line: first.line + index, bytes };
    const entry = parseJson(line, (value) => flawInEntry(value, before));
    const { position, ...commit } = entry as Commit & { position: number };
    entries.push({ position, commit });
  }
  return entries;
}

function flawInEntry(entry: unknown, before: LogEntry | undefined): Flaw | undefined {
  if (!isObject(entry) || !isPosition(entry.position))
    return { path: ['position'], problem: 'commit without a position' };
  if (before && entry.position !== before.position + 1) {
    return { path: ['position'], problem: `commit ${entry.position} follows commit ${before.position}` };
  }
  return flawInCommit(entry);
}
