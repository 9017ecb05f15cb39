import { basename, extname, resolve } from 'node:path';
import { isObject } from '@understudy/text/json';
import { shortened, suggest } from '@understudy/text/suggestion';
import { ScenarioError, type Complaints } from './complaints.ts';
import { readParams, valuesOf, type ParamValues } from './params.ts';
import type { Path } from './path.ts';
import { PlaceholderFilling } from './placeholders.ts';
import type { ScenarioTexts } from './scenario-copy.ts';
import { ScenarioText } from './scenario-text.ts';
import type { Steps } from './steps.ts';

/** A scenario with filled placeholders and the scenarios that it includes. */
export interface ComposedScenario {
  written: unknown;
  complaints: Complaints;
  /** By parameter, ABSENT and OPEN included. */
  values: ReadonlyMap<string, unknown>;
  /** Undefined if the scenario came without a file. */
  file: string | undefined;
  included: { name: string; part: ComposedScenario }[];
}

/** `given.complaints` gets complaints about parameters, `complaints` all others. */
interface CompositionSource {
  value: unknown;
  complaints: Complaints;
  file?: string;
}

/** Without a limit a few files that include each other could grow to millions of rules. */
const MAX_INCLUDED = 100;
/** The schema's pattern. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
/** Members without placeholders. */
const UNFILLED = ['$schema', 'name', 'params'];

/** Fills scenarios and finds what they include. */
export class Composition {
  readonly #texts: ScenarioTexts;
  #count = 0;

  constructor(texts: ScenarioTexts) {
    this.#texts = texts;
  }

  *compose(
    { value, complaints, file }: CompositionSource,
    given: ParamValues,
    above: readonly string[] = [],
  ): Steps<ComposedScenario> {
    const written = isObject(value) ? value : {};
    const label = file === undefined ? 'the scenario' : `scenario ${nameOfFile(file)}`;
    const values = valuesOf(readParams(written['params'], complaints), given, label);
    for (const name of Object.keys(given.values))
      complaints.noteOrigin(name, { complaints: given.complaints, path: [...given.at, name] });
    yield;
    const filled = fillPlaceholders(written, values, complaints);
    yield;
    const chain = file === undefined ? above : [...above, resolve(file)];
    const includer = { complaints, file, chain, isLenient: given.isLenient ?? false };
    const included: ComposedScenario['included'] = [];
    for (const [index, entry] of elements(filled['include']))
      included.push(...(yield* this.#include(entry, ['include', index], includer)));
    return { written: isObject(value) ? filled : value, complaints, values, file, included };
  }

  /** Complaints about the file are shown after those of `given`. */
  *composeFile(file: string, given: ParamValues, above: readonly string[] = []): Steps<ComposedScenario> {
    const { value, locate } = yield* ScenarioText.inSteps(this.#texts.textOf(file), file);
    const complaints = given.complaints.included(file, locate);
    const written = isObject(value) ? value['name'] : undefined;
    // An invalid name is a complaint of the format.
    if (typeof written === 'string' && NAME.test(written) && written !== nameOfFile(file))
      complaints.add(['name'], `must be the name of the file, ${nameOfFile(file)}`);
    return yield* this.compose({ value, complaints, file }, given, above);
  }

  *#include(entry: unknown, at: Path, includer: Includer): Steps<ComposedScenario['included']> {
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
      return [{ name, part: yield* this.composeFile(file, given, chain) }];
    } catch (thrown) {
      if (!(thrown instanceof ScenarioError)) throw thrown;
      complaints.adopt(thrown);
      return [];
    }
  }

  #find(name: string, place: Path, { complaints, file: includer, chain }: Includer): string | undefined {
    this.#count += 1;
    // Each search reads folders.
    if (this.#count > MAX_INCLUDED) {
      if (this.#count === MAX_INCLUDED + 1)
        complaints.add(place, `more than ${MAX_INCLUDED} scenarios are included`);
      return undefined;
    }
    const file = this.#texts.findFor(name, includer);
    if (file === undefined && includer !== undefined && nameOfFile(includer) === name) {
      complaints.add(place, `includes itself: ${name} > ${name}`);
    } else if (file === undefined) {
      const why = this.#texts.whyUnusable(name);
      const names = () => this.#texts.namesFor(includer);
      const hint = () => (why === undefined ? suggest(name, names()) : `: ${why}`);
      complaints.add(place, () => `unknown scenario ${shortened(name)}${hint()}`);
    } else if (chain.includes(resolve(file))) {
      const circle = [...chain.slice(chain.indexOf(resolve(file))), file].map(nameOfFile);
      complaints.add(place, `includes itself: ${circle.join(' > ')}`);
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

function fillPlaceholders(
  written: Record<string, unknown>,
  values: ComposedScenario['values'],
  complaints: Complaints,
) {
  const filling = new PlaceholderFilling(values, complaints);
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
