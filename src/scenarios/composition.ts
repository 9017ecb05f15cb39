import { basename, extname, resolve } from 'node:path';
import { isObject } from '../text/json.ts';
import { suggest } from '../text/suggestion.ts';
import { ScenarioError, type Complaints } from './complaints.ts';
import { readScenario, type ScenarioFolders } from './folders.ts';
import { readParams, valuesOf, type Given } from './params.ts';
import type { Path } from './path.ts';
import { Filling } from './placeholders.ts';
import { ScenarioText } from './scenario-text.ts';

/** A scenario as it was written, with all placeholders filled, and those that it includes. */
export interface Part {
  written: unknown;
  complaints: Complaints;
  /** By parameter; ABSENT and OPEN are values too. */
  values: ReadonlyMap<string, unknown>;
  /** Where it stands; undefined when it came without a file. */
  file: string | undefined;
  included: { name: string; part: Part }[];
}

/** What is to be composed; `given.complaints` hears of its parameters, `complaints` of all else. */
export interface Source {
  value: unknown;
  complaints: Complaints;
  file?: string;
}

/** More than anyone writes; without a bound a few files could unfold to millions. */
const MOST_INCLUDED = 100;
/** As the schema has it. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
/** What placeholders can't stand in. */
const UNFILLED = ['$schema', 'name', 'params'];

/** Fills scenarios and finds what they include. */
export class Composition {
  readonly #folders: ScenarioFolders;
  #count = 0;

  constructor(folders: ScenarioFolders) {
    this.#folders = folders;
  }

  compose({ value, complaints, file }: Source, given: Given, above: readonly string[] = []): Part {
    const written = isObject(value) ? value : {};
    const label = file === undefined ? 'the scenario' : `scenario ${nameOfFile(file)}`;
    const values = valuesOf(readParams(written['params'], complaints), given, label);
    for (const name of Object.keys(given.values))
      complaints.noteGiver(name, { complaints: given.complaints, path: [...given.at, name] });
    const filled = fill(written, values, complaints);
    const chain = file === undefined ? above : [...above, resolve(file)];
    const included = elements(filled['include']).flatMap(([index, entry]) => {
      const at = ['include', index];
      return this.#include(entry, at, { complaints, file, chain, isLenient: given.isLenient ?? false });
    });
    return { written: isObject(value) ? filled : value, complaints, values, file, included };
  }

  /** A file, whose complaints are told after those of the giver of its parameters. */
  composeFile(file: string, given: Given, above: readonly string[] = []): Part {
    const { value, locate } = new ScenarioText(readScenario(file), file);
    const complaints = given.complaints.included(file, locate);
    const written = isObject(value) ? value['name'] : undefined;
    // What is no name at all is told with its form.
    if (typeof written === 'string' && NAME.test(written) && written !== nameOfFile(file))
      complaints.add(['name'], `must be the name of the file, ${nameOfFile(file)}`);
    return this.compose({ value, complaints, file }, given, above);
  }

  #include(entry: unknown, at: Path, includer: Includer): Part['included'] {
    const { complaints, chain, isLenient } = includer;
    const { name, params } = isObject(entry) ? entry : { name: entry, params: {} };
    if (typeof name !== 'string' || complaints.isOpen(at)) return [];
    const place = isObject(entry) ? [...at, 'name'] : at;
    const file = this.#find(name, place, includer);
    if (file === undefined) return [];
    const given = {
      values: isObject(params) ? params : {},
      at: isObject(entry) && 'params' in entry ? [...at, 'params'] : at,
      complaints,
      isLenient,
    };
    try {
      return [{ name, part: this.composeFile(file, given, chain) }];
    } catch (thrown) {
      if (!(thrown instanceof ScenarioError)) throw thrown;
      complaints.adopt(thrown);
      return [];
    }
  }

  #find(name: string, place: Path, { complaints, file: includer, chain }: Includer): string | undefined {
    const file = this.#folders.findFor(name, includer);
    this.#count += 1;
    if (file === undefined && includer !== undefined && nameOfFile(includer) === name) {
      complaints.add(place, `includes itself: ${name} > ${name}`);
    } else if (file === undefined) {
      const why = this.#folders.whyUnusable(name);
      const names = () => this.#folders.namesFor(includer);
      const hint = () => (why === undefined ? suggest(name, names()) : `: ${why}`);
      complaints.add(place, () => `unknown scenario ${name}${hint()}`);
    } else if (chain.includes(resolve(file))) {
      const circle = [...chain.slice(chain.indexOf(resolve(file))), file].map(nameOfFile);
      complaints.add(place, `includes itself: ${circle.join(' > ')}`);
    } else if (this.#count > MOST_INCLUDED) {
      if (this.#count === MOST_INCLUDED + 1)
        complaints.add(place, `more than ${MOST_INCLUDED} scenarios are included`);
    } else return file;
    return undefined;
  }
}

interface Includer {
  complaints: Complaints;
  file: string | undefined;
  chain: readonly string[];
  isLenient: boolean;
}

function fill(written: Record<string, unknown>, values: Part['values'], complaints: Complaints) {
  const filling = new Filling(values, complaints);
  const [kept, others] = [true, false].map((isKept) =>
    Object.fromEntries(Object.entries(written).filter(([member]) => UNFILLED.includes(member) === isKept)),
  );
  const filled = { ...kept, ...(filling.fill(others, []) as object) };
  for (const name of filling.unused().filter((each) => /^\w+$/.test(each)))
    complaints.add(['params', name], `nothing uses it; \${${name}} would`, 'key');
  return filled as Record<string, unknown>;
}

const elements = (list: unknown): [number, unknown][] => (Array.isArray(list) ? [...list.entries()] : []);

export const nameOfFile = (file: string) => basename(file, extname(file));
