import { StoreError, type Commit } from './change-log.ts';
import { LogFile } from './log-file.ts';
import { foldedLine, indexLog, lineOf, parseLog, refuseUnlessTorn } from './log-lines.ts';
import { damagedAt } from './stored-json.ts';

/** Position of the first commit of a new environment, whose first snapshot has none. */
const FIRST = 1;

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
  /** Whether `foldedLine` made the first line. */
  #isFolded = false;
  /** Whether the file has lines without checksums, which an earlier version wrote. */
  #hasUnchecked = false;
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
    this.#isFolded = false;
    this.#hasUnchecked = false;
    this.#opened = undefined;
  }

  /**
   * The commits after a snapshot that ends there, oldest first; undefined: there is no snapshot. Throws if commits
   * between the two are missing.
   */
  after(snapshot: number | undefined): readonly Commit[] {
    if (this.#starts.length === 0) {
      this.#first = snapshot ?? FIRST;
      return [];
    }
    // The first commit of an environment may be stored before its first snapshot. Earlier versions counted from 0.
    return this.read(snapshot ?? Math.min(this.#first, FIRST), snapshot !== undefined);
  }

  /** All commits from that position on, oldest first. */
  read(from: number, hasSnapshot = true): readonly Commit[] {
    const { path } = this.#file;
    const index = Math.max(0, from - this.#first);
    const line = { path, line: index + 1 };
    const read = () => parseLog(this.#tail(index), line).map((entry) => entry.commit);
    const commits = this.#opened?.slice(index) ?? read();
    const first = this.#isFolded ? this.#first + 1 : this.#first;
    if (from >= first || isSelfContained(commits[0])) return commits;
    const known = hasSnapshot ? `the snapshot ends at commit ${from}` : 'there is no snapshot beside it';
    const place = { path, line: 1, column: 1 };
    const cure = `remove ${hasSnapshot ? 'both files' : 'the log, too'}, which loses all changes`;
    throw damagedAt(place, `the log begins at commit ${first}, but ${known}`, { cure });
  }

  /**
   * Keeps the commits from that position on: a snapshot has the earlier ones. If the position is beyond the end, no commit is
   * kept, and the next commit gets this position.
   */
  dropBefore(position: number): void {
    if (position === 0 || position < this.#first || this.#isFoldedAt(position)) return;
    const kept = this.#hasUnchecked ? this.#checkedFrom(position) : this.#tail(position - this.#first);
    const line = foldedLine(position - 1);
    const content = Buffer.concat([line, kept]);
    this.#file.replace(content);
    this.#first = position - 1;
    this.#starts = indexLog(content);
    this.#isFolded = true;
    this.#hasUnchecked = false;
    this.#opened = undefined;
  }

  close(): void {
    this.#file.close();
  }

  #load(content: Buffer): void {
    const bytes = content.lastIndexOf('\n') + 1;
    const { path } = this.#file;
    const entries = parseLog(content.subarray(0, bytes), { path, line: 1 });
    refuseUnlessTorn({ path, line: entries.length + 1, bytes: content.subarray(bytes) });
    this.#first = entries[0]?.position ?? 0;
    this.#starts = indexLog(content);
    this.#isFolded = entries[0]?.isFolded ?? false;
    this.#hasUnchecked = entries.some(({ isChecked }) => !isChecked);
    this.#opened = entries.map((entry) => entry.commit);
    this.#file.cutTo(bytes, content.length);
    if (bytes === content.length) return;
    const torn = `the last line was not finished, its ${content.length - bytes} bytes were cut off`;
    this.#warn(`${path}:${this.#starts.length + 1}: ${torn} (no commit that was answered is lost)`);
  }

  #isFoldedAt(position: number): boolean {
    return this.#isFolded && this.#first === position - 1;
  }

  #checkedFrom(position: number): Buffer {
    return Buffer.concat(this.read(position).map((commit, index) => lineOf(position + index, commit)));
  }

  #tail(index: number): Buffer {
    return this.#file.read(this.#starts[index] ?? this.bytes);
  }
}

/** A commit with all rows needs no earlier commit. */
const isSelfContained = (commit: Commit | undefined): boolean => typeof commit?.base === 'object';
