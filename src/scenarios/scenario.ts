import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { Contract } from '../contract/contract.ts';
import type { ClockSettings } from '../world/clock.ts';
import { parseDuration } from '../world/duration.ts';
import { COLLECTIONS, type Collection } from '../world/schema.ts';
import { isObject } from '../json-object.ts';
import { Complaints, type Locate } from './complaints.ts';
import { checkEdit, type WrittenEdit } from './edit-check.ts';
import type { Edit } from './edits.ts';
import { Format } from './format.ts';
import { readRule, type Rule, type WrittenRule } from './rule.ts';
import { ScenarioText } from './scenario-text.ts';

export interface Scenario {
  name: string;
  /** Where it was read from; absent when it came with a call. */
  file?: string;
  description?: string;
  /** How to set the clock at loading. */
  clock?: ClockSettings;
  /** What to change at loading. */
  state: Edit[];
  rules: Rule[];
}

/** A scenario as scenarios/scenario.schema.json describes it. */
interface WrittenScenario {
  name: string;
  description?: string;
  clock?: { mode: ClockSettings['mode']; at?: string; offset?: string };
  state?: Partial<Record<Collection, WrittenEdit[]>>;
  rules?: WrittenRule[];
}

/** What scenarios are checked against: the contract that calls keep, and the one that describes the rows. */
export interface ScenarioSource {
  readonly contract: Contract;
  readonly control: Contract;
}

/** Reads scenarios. Throws ScenarioError with everything that is wrong with one. */
export class ScenarioReader {
  readonly #source: ScenarioSource;
  readonly #format = new Format();

  constructor(source: ScenarioSource) {
    this.#source = source;
  }

  /** YAML or JSON. `file` is what complaints call it. */
  read(text: string, file: string): Scenario {
    const { value, locate } = new ScenarioText(text, file);
    return this.#check(value, new Complaints(file, locate));
  }

  /** A file, which is called what its scenario is. */
  readFile(file: string): Scenario {
    const { value, locate } = new ScenarioText(readFileSync(file, 'utf8'), file);
    const complaints = new Complaints(file, locate);
    const name = basename(file, extname(file));
    if (nameOf(value) !== undefined && nameOf(value) !== name) {
      complaints.add(['name'], `must be the name of the file, ${name}`);
    }
    return { file, ...this.#check(value, complaints) };
  }

  /** A scenario that was parsed already: complaints have a path, and no position. */
  readValue(value: unknown): Scenario {
    return this.#check(value, new Complaints('', NOWHERE));
  }

  #check(value: unknown, complaints: Complaints): Scenario {
    this.#format.check(value, complaints);
    const written = (isObject(value) ? value : {}) as unknown as WrittenScenario;
    const state = this.#readState(written, complaints);
    const rules = elements(written.rules).map(([index, rule]) =>
      readRule(rule, ['rules', index], this.#source.contract, complaints),
    );
    complaints.throwIfAny();
    const { name, description, clock } = written;
    return {
      name,
      ...(description !== undefined && { description }),
      ...(clock && { clock: readClock(clock) }),
      state,
      rules,
    };
  }

  #readState({ state }: WrittenScenario, complaints: Complaints): Edit[] {
    const collections = Object.keys(isObject(state) ? state : {}) as Collection[];
    const { control } = this.#source;
    return collections
      .filter((collection) => COLLECTIONS.includes(collection))
      .flatMap((collection) =>
        elements(state?.[collection]).map(([index, edit]) => {
          checkEdit(edit, ['state', collection, index], { collection, control }, complaints);
          return { collection, ...edit } as Edit;
        }),
      );
  }
}

const NOWHERE: Locate = () => ({ line: 0, column: 0 });

const nameOf = (value: unknown) => (isObject(value) ? value['name'] : undefined);

/** Those elements of a list that are objects, as they should be, with their places in it. */
const elements = <T>(list: readonly T[] | undefined): [number, T][] =>
  Array.isArray(list) ? [...(list as T[]).entries()].filter(([, element]) => isObject(element)) : [];

function readClock({ mode, at, offset }: NonNullable<WrittenScenario['clock']>): ClockSettings {
  const sign = offset?.startsWith('-') ? -1 : 1;
  const distance = offset === undefined ? undefined : parseDuration(offset.replace(/^[+-]/, ''));
  return {
    mode,
    ...(at !== undefined && { at }),
    ...(distance !== undefined && { offset_ms: sign * distance }),
  };
}
