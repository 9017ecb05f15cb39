import { dirname, join, resolve } from 'node:path';
import { isObject } from '@understudy/text/json';
import { Complaints, NOWHERE, ScenarioError } from './complaints.ts';
import { readScenario, ScenarioFolders, isFileName, ScenarioFiles } from './scenario-files.ts';
import { noParamValues, readParams, type Param, type ParamValues } from './params.ts';
import { ScenarioText } from './scenario-text.ts';
import { ScenarioReader, type Scenario, type ScenarioSource } from './scenario.ts';
import { ApiError } from '../contract/errors.ts';
import { PACKAGE_ROOT } from '@understudy/text/files';
import { shortened, suggestAmong } from '@understudy/text/suggestion';
import { parseReference, type Path } from './path.ts';
import type { On } from './target.ts';
import type { Origin, ScenarioCopy } from './scenario-copy.ts';
import { runInTurns, runSync, type Steps } from './steps.ts';

export interface FileDescription {
  /** If the scenario cannot be read, the reason. */
  description: string;
  params: Record<string, Param>;
  /** What its rules listen to, with the default values of the parameters. */
  on: On[];
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

  *of(file: string): Steps<FileDescription> {
    const known = this.#known.get(file);
    if (known && this.#isCurrent(known)) return known.description;
    this.#known.delete(file);
    try {
      return yield* this.#describe(file);
    } catch (thrown) {
      if (!(thrown instanceof ScenarioError)) throw thrown;
      return { description: `cannot be loaded: ${thrown.message}`, params: {}, on: [] };
    }
  }

  /** Forgets the files that are gone. */
  keepOnly(files: ReadonlySet<string>): void {
    for (const file of this.#known.keys()) if (!files.has(file)) this.#known.delete(file);
  }

  *#describe(file: string): Steps<FileDescription> {
    // The texts are read first: a file that changes meanwhile is parsed again at the next call.
    const own = readScenario(file);
    const given = { ...noParamValues(file), isLenient: true };
    const read = yield* this.#reader.readFileInSteps(file, given);
    const { description: text = '', files = [], rules } = read;
    const params = yield* paramsIn(own, file);
    const description = { description: text, params, on: rules.map(({ on }) => on) };
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

function* paramsIn(text: string, file: string): Steps<Record<string, Param>> {
  const { value } = yield* ScenarioText.inSteps(text, file);
  const written = isObject(value) ? value['params'] : undefined;
  return Object.fromEntries(readParams(written, new Complaints(file, NOWHERE)));
}

/** A scenario that can be loaded by name. */
export interface AvailableScenario extends FileDescription {
  name: string;
  file: string;
}

/** The scenarios that can be loaded by name. Files are read on demand. */
export class Library {
  readonly #folders: ScenarioFolders;
  readonly #reader: ScenarioReader;
  readonly #descriptions: FileDescriptions;

  constructor(folders: ScenarioFolders, reader: ScenarioReader) {
    this.#folders = folders;
    this.#reader = reader;
    this.#descriptions = new FileDescriptions(folders, reader);
  }

  /** The files of the user's folders. */
  ownFiles(): string[] {
    const own = new Set(this.#folders.own.map((folder) => resolve(folder)));
    return [...this.#folders.files().values()].filter((file) => own.has(resolve(dirname(file))));
  }

  /** Sorted by name. */
  available(): AvailableScenario[] {
    return runSync(this.availableInSteps());
  }

  /** The first call parses every file. */
  *availableInSteps(): Steps<AvailableScenario[]> {
    const files = this.#folders.files();
    this.#descriptions.keepOnly(new Set(files.values()));
    const found: AvailableScenario[] = [];
    for (const [name, file] of files) {
      found.push({ name, file, ...(yield* this.#descriptions.of(file)) });
      yield;
    }
    return found;
  }

  /** Throws ApiError `not_found` for an unknown name, otherwise ScenarioError. */
  read(name: string, given?: ParamValues): Scenario {
    return runSync(this.#readInSteps(name, given));
  }

  #readInSteps(name: string, given: ParamValues = noParamValues(name)): Steps<Scenario> {
    const files = this.#folders.files();
    const file = files.get(name);
    if (file !== undefined) return this.#readFile(file, name, given);
    const why = this.#folders.whyUnusable(name);
    const hint = why === undefined ? suggestAmong(name, [...files.keys()]) : `: ${why}`;
    throw new ApiError('not_found', `scenario ${shortened(name)} not found${hint}`);
  }

  /** From a command line: a name or file with parameters, such as `rate-limit-once,retry_after=5`. */
  readNamed(reference: string): Scenario {
    const { name, params } = parseReference(reference);
    const complaints = new Complaints(`--scenario ${reference}`, NOWHERE);
    return this.#readAny(name, { values: params, at: ['params'], complaints, areTexts: true });
  }

  /** Reads the scenario's file again. */
  readAgain({ name, ...given }: Origin): Scenario {
    return this.#readAny(name, { ...noParamValues(name), ...given });
  }

  /** Reads a scenario that an earlier process has stored. */
  readCopy(copy: ScenarioCopy): Promise<Scenario> {
    return runInTurns(this.#reader.readCopyInSteps(copy));
  }

  /** From a request: a name, `{name, params}`, or a whole scenario. */
  *readRequested(text: ScenarioText, at: Path = []): Steps<Scenario> {
    const value = text.at(at);
    if (typeof value === 'string') return yield* this.#readInSteps(value);
    if (!isReference(value)) {
      yield* this.#refuseMisplacedParams(value, new Complaints(text.file, text.locate, at));
      return yield* this.#reader.readValue(text, at);
    }
    const { name, params = {} } = value;
    // So short a text needs no line and column.
    const complaints = new Complaints('', NOWHERE, at);
    if (isObject(params))
      return yield* this.#readInSteps(name, { values: params, at: ['params'], complaints });
    complaints.add(['params'], 'must be object');
    complaints.throwIfAny();
    return yield* this.#readInSteps(name);
  }

  /**
   * An object with a known name and its parameters at the top level is a mistake: the parameters belong under
   * `params`.
   */
  *#refuseMisplacedParams(value: unknown, complaints: Complaints): Steps<undefined> {
    const name = isObject(value) ? value['name'] : undefined;
    const file = typeof name === 'string' ? this.#folders.files().get(name) : undefined;
    if (file === undefined) return undefined;
    const { params: known } = yield* this.#descriptions.of(file);
    const keys = Object.keys(value as object).filter((key) => key !== 'name' && key !== 'params');
    if (!keys.every((key) => Object.hasOwn(known, key))) return undefined;
    for (const key of keys)
      complaints.add([key], `a parameter of ${String(name)} is written \`params: { ${key}: … }\``, 'key');
    complaints.throwIfAny();
    return undefined;
  }

  #readAny(name: string, given: ParamValues): Scenario {
    return isFileName(name) ? runSync(this.#readFile(name, name, given)) : this.read(name, given);
  }

  *#readFile(file: string, name: string, given: ParamValues): Steps<Scenario> {
    const { values, areTexts = false } = given;
    const origin = { name, values, areTexts };
    const read = yield* this.#reader.readFileInSteps(file, given);
    return { ...read, origin, copy: { ...read.copy, origin } };
  }
}

const isReference = (value: unknown): value is { name: string; params?: unknown } =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  Object.keys(value).every((key) => key === 'name' || key === 'params');

export interface ScenarioCatalog {
  reader: ScenarioReader;
  library: Library;
  files: ScenarioFiles;
}

/** `folders`: the user's folders, which override the shipped one. Throws ScenarioError if one does not exist. */
export function createScenarioCatalog(
  source: ScenarioSource,
  folders: readonly string[] = [],
): ScenarioCatalog {
  const all = new ScenarioFolders(folders, join(PACKAGE_ROOT, 'scenarios'));
  const reader = new ScenarioReader(source, all);
  return { reader, library: new Library(all, reader), files: new ScenarioFiles(all, reader) };
}
