import { join } from 'node:path';
import { ApiError } from '../errors.ts';
import { PACKAGE_ROOT } from '../package-root.ts';
import { isObject } from '../text/json.ts';
import { suggestAmong } from '../text/suggestion.ts';
import { Complaints, NOWHERE, ScenarioError } from './complaints.ts';
import { isFileName, readScenario, ScenarioFolders } from './folders.ts';
import { nothingGiven, readParams, type Given, type Param } from './params.ts';
import { parseReference, type Path } from './path.ts';
import { ScenarioText } from './scenario-text.ts';
import { ScenarioReader, type Origin, type Scenario, type ScenarioSource } from './scenario.ts';
import { atOnce, type Steps } from './steps.ts';

/** A scenario that can be loaded by its name. */
export interface AvailableScenario {
  name: string;
  /** Of one that can't be read: why. */
  description: string;
  params: Record<string, Param>;
  file: string;
}

/** The scenarios that have a name. Files are read when they are asked for. */
export class Library {
  readonly #folders: ScenarioFolders;
  readonly #reader: ScenarioReader;

  constructor(folders: ScenarioFolders, reader: ScenarioReader) {
    this.#folders = folders;
    this.#reader = reader;
  }

  /** In the order of their names. */
  available(): AvailableScenario[] {
    return Array.from(this.#folders.files(), ([name, file]) => ({
      name,
      file,
      ...describe(file, this.#reader),
    }));
  }

  /** By name, with values for its parameters. Throws ApiError `not_found` for an unknown name, else ScenarioError. */
  read(name: string, given?: Given): Scenario {
    return atOnce(this.#readInSteps(name, given));
  }

  #readInSteps(name: string, given: Given = nothingGiven(name)): Steps<Scenario> {
    const files = this.#folders.files();
    const file = files.get(name);
    if (file !== undefined) return this.#readFile(file, name, given);
    const why = this.#folders.whyUnusable(name);
    const hint = why === undefined ? suggestAmong(name, [...files.keys()]) : `: ${why}`;
    throw new ApiError('not_found', `scenario ${name} not found${hint}`);
  }

  /** As a command line says it: a name or a file, and parameters, such as `rate-limit-once,retry_after=5`. */
  readNamed(reference: string): Scenario {
    const { name, params } = parseReference(reference);
    const complaints = new Complaints(`--scenario ${reference}`, NOWHERE);
    return this.#readAny(name, { values: params, at: ['params'], complaints, areTexts: true });
  }

  /** What was read from a file once, from the file as it is now. */
  readAgain({ name, ...given }: Origin): Scenario {
    return this.#readAny(name, { ...nothingGiven(name), ...given });
  }

  /** As a request says it: a name, `{name, params}`, or anything more: the scenario itself. */
  *readRequested(text: ScenarioText, at: Path = []): Steps<Scenario> {
    const value = text.at(at);
    if (typeof value === 'string') return yield* this.#readInSteps(value);
    const complaints = new Complaints(text.file, text.locate, at);
    if (!isReference(value)) {
      this.#refuseStray(value, complaints);
      return yield* this.#reader.readValue(text, at);
    }
    const { name, params = {} } = value;
    if (isObject(params))
      return yield* this.#readInSteps(name, { values: params, at: ['params'], complaints });
    complaints.add(['params'], 'must be object');
    complaints.throwIfAny();
    return yield* this.#readInSteps(name);
  }

  /** A name and its parameters beside it would be a scenario of its own, with keys that no scenario has. */
  #refuseStray(value: unknown, complaints: Complaints): void {
    const name = isObject(value) ? value['name'] : undefined;
    const file = typeof name === 'string' ? this.#folders.files().get(name) : undefined;
    if (file === undefined) return;
    const { params: known } = describe(file, this.#reader);
    const keys = Object.keys(value as object).filter((key) => key !== 'name' && key !== 'params');
    if (!keys.every((key) => Object.hasOwn(known, key))) return;
    for (const key of keys)
      complaints.add([key], `a parameter of ${String(name)} is written \`params: { ${key}: … }\``, 'key');
    complaints.throwIfAny();
  }

  #readAny(name: string, given: Given): Scenario {
    return isFileName(name) ? atOnce(this.#readFile(name, name, given)) : this.read(name, given);
  }

  *#readFile(file: string, name: string, given: Given): Steps<Scenario> {
    const { values, areTexts = false } = given;
    return { ...(yield* this.#reader.readFileInSteps(file, given)), origin: { name, values, areTexts } };
  }
}

const isReference = (value: unknown): value is { name: string; params?: unknown } =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  Object.keys(value).every((key) => key === 'name' || key === 'params');

function describe(file: string, reader: ScenarioReader): Pick<AvailableScenario, 'description' | 'params'> {
  try {
    const { description = '' } = reader.readFile(file, { ...nothingGiven(file), isLenient: true });
    return { description, params: paramsOf(file) };
  } catch (thrown) {
    if (!(thrown instanceof ScenarioError)) throw thrown;
    return { description: `can not be loaded: ${thrown.message}`, params: {} };
  }
}

function paramsOf(file: string): Record<string, Param> {
  const { value } = new ScenarioText(readScenario(file), file);
  const written = isObject(value) ? value['params'] : undefined;
  return Object.fromEntries(readParams(written, new Complaints(file, NOWHERE)));
}

/** All that reads scenarios. */
export interface ScenarioAccess {
  reader: ScenarioReader;
  library: Library;
}

/** `folders`: the user's own, which go before the shipped one. Throws ScenarioError when one is not there. */
export function createScenarioAccess(
  source: ScenarioSource,
  folders: readonly string[] = [],
): ScenarioAccess {
  const all = new ScenarioFolders(folders, join(PACKAGE_ROOT, 'scenarios'));
  const reader = new ScenarioReader(source, all);
  return { reader, library: new Library(all, reader) };
}
