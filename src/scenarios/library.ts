import { join } from 'node:path';
import { ApiError } from '../errors.ts';
import { PACKAGE_ROOT } from '../files.ts';
import { isObject } from '../text/json.ts';
import { suggestAmong } from '../text/suggestion.ts';
import { Complaints, NOWHERE } from './complaints.ts';
import { FileDescriptions, type FileDescription } from './file-descriptions.ts';
import { isFileName, ScenarioFolders, ScenarioFiles } from './scenario-files.ts';
import { noParamValues, type ParamValues } from './params.ts';
import { parseReference, type Path } from './path.ts';
import { ScenarioText } from './scenario-text.ts';
import type { Origin, ScenarioCopy } from './scenario-copy.ts';
import { ScenarioReader, type Scenario, type ScenarioSource } from './scenario.ts';
import { runInTurns, runSync, type Steps } from './steps.ts';

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

  /** Sorted by name. */
  available(): AvailableScenario[] {
    const files = this.#folders.files();
    this.#descriptions.keepOnly(new Set(files.values()));
    return Array.from(files, ([name, file]) => ({ name, file, ...this.#descriptions.of(file) }));
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
    throw new ApiError('not_found', `scenario ${name} not found${hint}`);
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
    const complaints = new Complaints(text.file, text.locate, at);
    if (!isReference(value)) {
      this.#refuseMisplacedParams(value, complaints);
      return yield* this.#reader.readValue(text, at);
    }
    const { name, params = {} } = value;
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
  #refuseMisplacedParams(value: unknown, complaints: Complaints): void {
    const name = isObject(value) ? value['name'] : undefined;
    const file = typeof name === 'string' ? this.#folders.files().get(name) : undefined;
    if (file === undefined) return;
    const { params: known } = this.#descriptions.of(file);
    const keys = Object.keys(value as object).filter((key) => key !== 'name' && key !== 'params');
    if (!keys.every((key) => Object.hasOwn(known, key))) return;
    for (const key of keys)
      complaints.add([key], `a parameter of ${String(name)} is written \`params: { ${key}: … }\``, 'key');
    complaints.throwIfAny();
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
