import type { Operation } from '../contract/compiled.ts';
import type { Contract } from '../contract/contract.ts';
import type { ClockSettings } from '../environment/clock.ts';
import { parseDuration } from '../text/duration.ts';
import { isObject } from '../text/json.ts';
import { elements, readChanges, type WrittenChanges } from './changes.ts';
import { Complaints, MOST_TOLD } from './complaints.ts';
import { Composition, type Part } from './composition.ts';
import type { Edit } from './edits.ts';
import type { ScenarioFolders } from './folders.ts';
import { Format } from './format.ts';
import { nothingGiven, type Given } from './params.ts';
import type { Path } from './path.ts';
import { readRule, type Rule, type WrittenRule } from './rule.ts';
import { ScenarioText } from './scenario-text.ts';
import { atOnce, type Steps } from './steps.ts';
import { Targets, type On } from './target.ts';

export interface Scenario {
  name: string;
  /** Where it was read from; absent when it came with a call. */
  file?: string;
  description?: string;
  /** How to set the clock at loading. */
  clock?: ClockSettings;
  /** What to change at loading. */
  state: Edit[];
  /** Rows and clock become what they were when it is unloaded. */
  restore: boolean;
  rules: Rule[];
  /** What its parameters were. */
  params?: Record<string, unknown>;
  /** What it was read from: the file itself, if any, and those that it includes. */
  files?: readonly string[];
  /** A line for each thing in it that is allowed, and hardly meant; absent: nothing. */
  warnings?: string[];
  /** How it can be read again; absent when it came without a file. */
  origin?: Origin;
}

/** A scenario by its name or the path of its file, with values for its parameters. */
export interface Origin extends Pick<Given, 'values' | 'areTexts'> {
  name: string;
}

/** A scenario as scenarios/scenario.schema.json describes it. */
interface WrittenScenario {
  name: string;
  description?: string;
  clock?: { mode: ClockSettings['mode']; at?: string; offset?: string };
  state?: WrittenChanges;
  rules?: WrittenRule[];
  restore?: boolean;
}

/** What scenarios are checked against: the contract that calls keep, and the one that describes the rows. */
export interface ScenarioSource {
  readonly contract: Contract;
  readonly control: Contract;
}

/** Reads scenarios. Throws ScenarioError with everything that is wrong with one and with those that it includes. */
export class ScenarioReader {
  readonly #source: ScenarioSource;
  readonly #folders: ScenarioFolders;
  readonly #format = new Format();

  constructor(source: ScenarioSource, folders: ScenarioFolders) {
    this.#source = source;
    this.#folders = folders;
  }

  /** YAML or JSON. `file` is what complaints call it. */
  read(text: string, file: string): Scenario {
    return atOnce(this.readValue(new ScenarioText(text, file), []));
  }

  /** What stands at a place in a text; its parameters have their defaults. */
  *readValue(text: ScenarioText, at: Path): Steps<Scenario> {
    const complaints = new Complaints(text.file, text.locate, at);
    const given = { values: {}, at: ['params'], complaints };
    const part = new Composition(this.#folders).compose({ value: text.at(at), complaints }, given);
    yield;
    return yield* this.#finish(part, complaints);
  }

  /** A file, which is called what its scenario is. */
  readFile(file: string, given: Given = nothingGiven(file)): Scenario {
    return atOnce(this.readFileInSteps(file, given));
  }

  *readFileInSteps(file: string, given: Given): Steps<Scenario> {
    const part = new Composition(this.#folders).composeFile(file, given);
    return { file, ...(yield* this.#finish(part, given.complaints)) };
  }

  *#finish(part: Part, complaints: Complaints): Steps<Scenario> {
    const scenario = yield* this.#check(part, new Targets(this.#source.contract));
    complaints.throwIfAny();
    const params = Object.fromEntries([...part.values].filter(([, value]) => typeof value !== 'symbol'));
    const warnings = warnOfUnreached(scenario.rules);
    return { ...scenario, params, files: filesOf(part), ...(warnings.length > 0 && { warnings }) };
  }

  /** What it includes comes first; its own clock goes before theirs. */
  *#check({ written: value, complaints, included }: Part, targets: Targets): Steps<Scenario> {
    yield;
    this.#format.check(value, complaints);
    yield;
    const written = (isObject(value) ? value : {}) as unknown as WrittenScenario;
    const before: { name: string; scenario: Scenario }[] = [];
    for (const { name, part } of included) before.push({ name, scenario: yield* this.#check(part, targets) });
    const state = yield* readChanges(written.state, ['state'], this.#source.control, complaints);
    const rules: Rule[] = [];
    for (const [index, rule] of elements(written.rules)) {
      yield;
      const read = yield* readRule(rule, index, { ...this.#source, targets }, complaints);
      if (!complaints.isLeftOut(['rules', index])) rules.push(read);
    }
    const { name, description, clock } = written;
    const clocks = [...before.map(({ scenario }) => scenario.clock), clock && readClock(clock)];
    const lastClock = clocks.findLast((each) => each !== undefined);
    return {
      name,
      ...(description !== undefined && { description }),
      ...(lastClock && { clock: lastClock }),
      state: [...before.flatMap(({ scenario }) => scenario.state), ...state],
      rules: [...before.flatMap(includedRules), ...rules],
      restore: written.restore === true || before.some(({ scenario }) => scenario.restore),
    };
  }
}

/** A rule says which of the included scenarios it is written in. */
const includedRules = ({ name, scenario }: { name: string; scenario: Scenario }): Rule[] =>
  scenario.rules.map((rule) => ({ from: name, ...rule }));

const filesOf = ({ file, included }: Part): string[] => [
  ...(file === undefined ? [] : [file]),
  ...included.flatMap(({ part }) => filesOf(part)),
];

function readClock({ mode, at, offset }: NonNullable<WrittenScenario['clock']>): ClockSettings {
  const sign = offset?.startsWith('-') ? -1 : 1;
  const distance = offset === undefined ? undefined : parseDuration(offset.replace(/^[+-]/, ''));
  return {
    mode,
    ...(at !== undefined && { at }),
    ...(distance !== undefined && { offset_ms: sign * distance }),
  };
}

/** Operations, and the first rule that takes every call of each. */
type Taken = ReadonlyMap<Operation, Rule>;

/** A line for each rule that no call can reach: rules before it take every call of its operations. */
export function warnOfUnreached(rules: readonly Rule[]): string[] {
  const taken = new Map<Operation, Rule>();
  const lines: string[] = [];
  let untold = 0;
  for (const rule of rules) {
    if (isTaken(rule, taken)) {
      if (lines.length < MOST_TOLD) lines.push(warningOf(rule, taken));
      else untold += 1;
    } else if (takesAll(rule)) {
      for (const operation of rule.target.operations) if (!taken.has(operation)) taken.set(operation, rule);
    }
  }
  return untold === 0 ? lines : [...lines, `and ${untold} more rules are never applied`];
}

const isTaken = ({ target: { operations } }: Rule, taken: Taken) =>
  taken.size > 0 && operations.length > 0 && operations.every((operation) => taken.has(operation));

function warningOf(rule: Rule, taken: Taken): string {
  const takers = [...new Set(rule.target.operations.map((operation) => taken.get(operation)!))];
  const verb = takers.length === 1 ? 'takes' : 'take';
  const listed = `${takers.map(nameOf).join(' and ')} ${verb} every call of ${written(rule.on)} first`;
  return `${rule.place}: warning: never applied: ${listed}`;
}

/** Whether no call of its operations passes it, now or ever. */
const takesAll = ({ demands, after, every, probability = 1, times, goesOn }: Rule) =>
  !goesOn && demands.length === 0 && after === 0 && every === 1 && probability === 1 && times === undefined;

const nameOf = ({ from, index, on }: Rule) =>
  `${from === undefined ? '' : `${from} `}rules[${index}] (on ${written(on)})`;

function written(on: On): string {
  if (typeof on === 'string') return on;
  return Array.isArray(on) ? on.join(', ') : [on.method, on.path].filter(Boolean).join(' ');
}
