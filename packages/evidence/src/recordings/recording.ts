import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { FileError, isFolder, readRegularFile } from '@understudy/text/files';
import { isObject, parseJson } from '@understudy/text/json';
import type { Exchange } from './exchange.ts';

const FORMAT = 1;

/** `recording.json` of a recording's folder. */
interface RecordingHead {
  format: typeof FORMAT;
  /** The address of the recorded service. */
  service: string;
  /** ISO time. */
  began: string;
  /** The version that began the recording. */
  understudy: string;
}

export interface Recording {
  head: RecordingHead;
  /** By number. */
  exchanges: Exchange[];
}

const HEAD = 'recording.json';
const TRANSCRIPT = 'transcript.jsonl';
export const SHAPE = 'shape.yaml';
/** The ending of a file that is being written. */
const PARTIAL = '.new';

/** Throws FileError if the folder is not a recording. */
export function readRecording(folder: string): Recording {
  return { head: readHead(folder), exchanges: readTranscript(join(folder, TRANSCRIPT)) };
}

function readHead(folder: string): RecordingHead {
  if (!isFolder(folder)) throw new FileError(folder, 'no such folder');
  const file = join(folder, HEAD);
  if (!existsSync(file))
    throw new FileError(folder, `it is not a recording: it has no ${HEAD}, which understudy record writes`);
  const head = parsed(readRegularFile(file), file);
  if (!isObject(head) || typeof head['service'] !== 'string' || head['format'] === undefined)
    throw new FileError(file, 'it is not the head of a recording');
  if (head['format'] !== FORMAT)
    throw new FileError(
      file,
      `its format is ${JSON.stringify(head['format'])}, and this version of Understudy reads ${FORMAT}`,
    );
  return head as unknown as RecordingHead;
}

/** A last line without its end was cut off when the process died, and is ignored. */
function readTranscript(file: string): Exchange[] {
  if (!existsSync(file)) return [];
  const lines = readRegularFile(file).split('\n').slice(0, -1);
  const exchanges = lines.map((line, i) => {
    const exchange = parsed(line, `${file}:${i + 1}`);
    if (!isExchange(exchange)) throw new FileError(`${file}:${i + 1}`, 'the line is not an exchange');
    return exchange;
  });
  return exchanges.toSorted((a, b) => a.n - b.n);
}

function parsed(text: string, place: string): unknown {
  try {
    return parseJson(text);
  } catch (thrown) {
    throw new FileError(place, (thrown as Error).message);
  }
}

const isExchange = (value: unknown): value is Exchange =>
  isObject(value) &&
  typeof value['n'] === 'number' &&
  typeof value['protocol'] === 'string' &&
  isObject(value['request']) &&
  typeof value['request']['path'] === 'string' &&
  isObject(value['response']) &&
  typeof value['response']['status'] === 'number';

/** Writes a recording's folder so that the death of the process leaves no half exchange behind. */
export class RecordingWriter {
  readonly folder: string;
  /** What the folder held before. */
  readonly earlier: readonly Exchange[];
  readonly #transcript: string;
  #last: number;

  /** Goes on with a recording of the same service. Throws FileError for a folder that holds something else. */
  constructor(folder: string, head: Omit<RecordingHead, 'format'>) {
    this.folder = folder;
    this.#transcript = join(folder, TRANSCRIPT);
    trying(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
    const known = existsSync(join(folder, HEAD)) ? readHead(folder) : undefined;
    if (known && known.service !== head.service)
      throw new FileError(folder, `it is a recording of ${known.service}, not of ${head.service}`);
    if (!known) {
      const [other] = readdirSync(folder).filter((name) => name !== `${HEAD}${PARTIAL}`);
      if (other !== undefined)
        throw new FileError(
          folder,
          `it holds other files, such as ${other}, and is not a recording: name a new folder`,
        );
      writeWhole(join(folder, HEAD), `${JSON.stringify({ format: FORMAT, ...head }, undefined, 2)}\n`);
    }
    withoutTornEnd(this.#transcript);
    this.earlier = readTranscript(this.#transcript);
    this.#last = this.earlier.at(-1)?.n ?? 0;
  }

  /** The number of a call that begins now. */
  next(): number {
    this.#last += 1;
    return this.#last;
  }

  /** Adds an exchange, whose secrets must be gone. Only the owner may read the file. */
  write(exchange: Exchange): void {
    const line = `${JSON.stringify(exchange)}\n`;
    try {
      trying(this.#transcript, () => appendFileSync(this.#transcript, line, { mode: 0o600 }));
    } catch (thrown) {
      withoutTornEnd(this.#transcript); // a full disk takes a part of the line
      throw thrown;
    }
  }
}

/** Cuts off what a process has left that died while it wrote. */
function withoutTornEnd(file: string): void {
  if (!existsSync(file)) return;
  const text = Buffer.from(readRegularFile(file));
  const whole = text.lastIndexOf('\n') + 1;
  if (whole < text.length) trying(file, () => truncateSync(file, whole));
}

/** A reader meets the old file or the new one. */
export function writeWhole(file: string, text: string): void {
  const partial = `${file}${PARTIAL}`;
  trying(file, () => {
    const fd = openSync(partial, 'w', 0o600);
    try {
      writeSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(partial, file);
  });
}

function trying(path: string, write: () => void): void {
  try {
    write();
  } catch (thrown) {
    throw new FileError(path, (thrown as Error).message);
  }
}
