import { isObject } from '../text/json.ts';
import { Complaints, NOWHERE, ScenarioError } from './complaints.ts';
import { readScenario, type ScenarioFolders } from './scenario-files.ts';
import { noParamValues, readParams, type Param } from './params.ts';
import { ScenarioText } from './scenario-text.ts';
import type { ScenarioReader } from './scenario.ts';

export interface FileDescription {
  /** If the scenario cannot be read, the reason. */
  description: string;
  params: Record<string, Param>;
}

interface KnownDescription {
  description: FileDescription;
  /** The file and the files that it includes, with the texts that were read. */
  texts: ReadonlyMap<string, string>;
  /** Which file an included name leads to depends on the folders; undefined if nothing is included. */
  listing: string | undefined;
}

/** Describes scenario files, and parses a file again only if its text or an included one has changed. */
export class FileDescriptions {
  readonly #folders: ScenarioFolders;
  readonly #reader: ScenarioReader;
  readonly #known = new Map<string, KnownDescription>();

  constructor(folders: ScenarioFolders, reader: ScenarioReader) {
    this.#folders = folders;
    this.#reader = reader;
  }

  of(file: string): FileDescription {
    const known = this.#known.get(file);
    if (known && this.#isCurrent(known)) return known.description;
    this.#known.delete(file);
    try {
      return this.#describe(file);
    } catch (thrown) {
      if (!(thrown instanceof ScenarioError)) throw thrown;
      return { description: `cannot be loaded: ${thrown.message}`, params: {} };
    }
  }

  /** Forgets the files that are gone. */
  keepOnly(files: ReadonlySet<string>): void {
    for (const file of this.#known.keys()) if (!files.has(file)) this.#known.delete(file);
  }

  #describe(file: string): FileDescription {
    // The texts are read first: a file that changes meanwhile is parsed again at the next call.
    const own = readScenario(file);
    const given = { ...noParamValues(file), isLenient: true };
    const { description: text = '', files = [] } = this.#reader.readFile(file, given);
    const description = { description: text, params: paramsIn(own, file) };
    const included = files.filter((each) => each !== file);
    const texts = new Map([[file, own], ...included.map((each) => [each, readScenario(each)] as const)]);
    const listing = included.length > 0 ? this.#folders.listing() : undefined;
    this.#known.set(file, { description, texts, listing });
    return description;
  }

  #isCurrent({ texts, listing }: KnownDescription): boolean {
    if (listing !== undefined && listing !== this.#folders.listing()) return false;
    return [...texts].every(([file, text]) => textNow(file) === text);
  }
}

function textNow(file: string): string | undefined {
  try {
    return readScenario(file);
  } catch (thrown) {
    if (thrown instanceof ScenarioError) return undefined;
    throw thrown;
  }
}

function paramsIn(text: string, file: string): Record<string, Param> {
  const { value } = new ScenarioText(text, file);
  const written = isObject(value) ? value['params'] : undefined;
  return Object.fromEntries(readParams(written, new Complaints(file, NOWHERE)));
}
