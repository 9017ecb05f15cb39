import { rmSync } from 'node:fs';
import { checksumOf, withChecksum } from '@understudy/text/checksum';
import { isObject } from '@understudy/text/json';
import { isPosition } from './change-log.ts';
import { LogFile } from './log-file.ts';
import type { CallBatch, StoredJournal } from './storage.ts';

/** Removed batches stay in the file until they take this many bytes, and half of it. */
const SMALLEST_BOUND = 64 * 1024;

interface JournalFilePlace {
  path: string;
  warn: (message: string) => void;
  /** Throws while nothing may be written. */
  admit: () => void;
  /** Whether the environment is new, so that a file is a remnant of another one. */
  isNew: boolean;
}

/** Where a batch is in the file. */
interface BatchPlace extends Pick<CallBatch, 'last'> {
  start: number;
}

/** The calls of one environment as `<name>.journal`, with one JSON line for each batch. */
export class JournalFile implements StoredJournal {
  readonly #place: JournalFilePlace;
  readonly #file: LogFile;
  #batches: BatchPlace[] = [];
  #found: string[] = [];
  /** The last write has failed. */
  #isFailing = false;

  /** Undefined if the file cannot be read: the calls are then kept in memory only. */
  static open(place: JournalFilePlace): JournalFile | undefined {
    try {
      if (place.isNew) rmSync(place.path, { force: true });
      return new JournalFile(place);
    } catch (thrown) {
      place.warn(`${(thrown as Error).message}: the journal is not stored`);
      return undefined;
    }
  }

  private constructor(place: JournalFilePlace) {
    this.#place = place;
    // A loss of power may cost the latest calls, as a kill may.
    this.#file = new LogFile(place.path, false);
    const content = this.#file.content();
    this.#file.cutTo(content.lastIndexOf('\n') + 1, content.length);
    this.#load(content);
  }

  async read(): Promise<readonly string[]> {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  async write(batch: CallBatch): Promise<void> {
    const { admit, warn, path } = this.#place;
    try {
      admit();
      this.#add(batch);
      if (this.#isFailing) warn(`${path}: calls are stored again`);
      this.#isFailing = false;
    } catch (thrown) {
      if (!this.#isFailing)
        warn(`${(thrown as Error).message}: calls are not stored until it can be written`);
      this.#isFailing = true;
      throw thrown;
    }
  }

  close(): void {
    this.#file.close();
  }

  #add({ text, last, oldest, replaces }: CallBatch): void {
    const line = Buffer.from(`${withChecksum(text)}\n`);
    if (replaces) {
      this.#file.replace(line);
      this.#batches = [{ last, start: 0 }];
      return;
    }
    const start = this.#file.bytes;
    this.#file.append(line);
    this.#batches.push({ last, start });
    this.#removeBefore(oldest);
  }

  /** Batches are in order, but for calls that took long. */
  #removeBefore(oldest: number): void {
    const kept = this.#batches.findIndex(({ last }) => last >= oldest);
    const dropped = this.#batches[kept]?.start ?? 0;
    if (dropped < SMALLEST_BOUND || dropped * 2 < this.#file.bytes) return;
    this.#file.replace(this.#file.read(dropped));
    this.#batches = this.#batches.slice(kept).map(({ last, start }) => ({ last, start: start - dropped }));
  }

  /** A damaged line must not stop the start, because the state does not depend on it. */
  #load(content: Buffer): void {
    const { path, warn } = this.#place;
    let line = 0;
    for (let start = 0, end; (end = content.indexOf('\n', start)) >= 0; start = end + 1) {
      line += 1;
      const text = content.toString('utf8', start, end);
      const isDamaged = checksumOf(content.subarray(start, end)) === 'wrong';
      const last = isDamaged ? undefined : lastOf(text);
      if (isDamaged) warn(`${path}:${line}: this line does not fit its checksum and is left out`);
      else if (last === undefined) warn(`${path}:${line}: this line is no list of calls and is left out`);
      else {
        this.#batches.push({ last, start });
        this.#found.push(text);
      }
    }
  }
}

/** Undefined if the text is no batch. */
function lastOf(text: string): number | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && isPosition(value['last']) && Array.isArray(value['calls'])
      ? value['last']
      : undefined;
  } catch {
    return undefined;
  }
}
