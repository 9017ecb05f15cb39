import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { FileError } from '@understudy/text/files';
import { isObject, parseJson } from '@understudy/text/json';
import type { Item } from './answer-rows.ts';

/** What a list answered, with stand-ins in place of what people have written. */
export interface ReadList {
  items: Item[];
  /** The status and message of a list that cannot be read. */
  refusal?: string;
}

/**
 * The lists that a pull has read, in a file beside the output, so that the next pull goes on. Each line is one list; a
 * line that was cut off is read again.
 */
export class PartialFile {
  readonly path: string;
  readonly #known = new Map<string, ReadList>();

  /** `origin`: what must be the same for the file to be used. Throws FileError. */
  constructor(path: string, origin: string) {
    this.path = path;
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
    const [first, ...others] = lines;
    const head = JSON.stringify({ origin });
    if (first !== undefined && first !== head)
      throw new FileError(
        path,
        'it is of a pull with another --from, --client-id, --seed or --keep; give the same ones, or remove the file',
      );
    for (const [index, line] of others.entries()) this.#remember(line, index + 2);
    this.#write(`${[head, ...others].join('\n')}\n`);
  }

  get size(): number {
    return this.#known.size;
  }

  read(call: string): ReadList | undefined {
    return this.#known.get(call);
  }

  add(call: string, list: ReadList): void {
    this.#known.set(call, list);
    this.#try(() => appendFileSync(this.path, `${JSON.stringify({ call, ...list })}\n`));
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }

  #remember(line: string, number: number): void {
    const read = this.#parsed(line, number);
    if (!isObject(read) || typeof read['call'] !== 'string' || !Array.isArray(read['items']))
      throw new FileError(this.path, `line ${number} is not a list that was read; remove the file`);
    const { call, ...list } = read;
    this.#known.set(call as string, list as unknown as ReadList);
  }

  #parsed(line: string, number: number): unknown {
    try {
      return parseJson(line);
    } catch (thrown) {
      const { message } = thrown as SyntaxError;
      throw new FileError(this.path, `line ${number}: ${message}; remove the file`);
    }
  }

  /** Only the owner may read it. */
  #write(text: string): void {
    this.#try(() => writeFileSync(this.path, text, { mode: 0o600 }));
  }

  #try(write: () => void): void {
    try {
      write();
    } catch (thrown) {
      throw new FileError(this.path, (thrown as Error).message);
    }
  }
}
