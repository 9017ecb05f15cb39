import type { Contract } from '../contract/contract.ts';
import { readClock, type ClockSettings, type WrittenClock } from '../state/clock.ts';
import { CompilingBudget } from '@understudy/text/expression';
import { isObject } from '@understudy/text/json';
import { elements, readChanges, type WrittenChanges } from './changes.ts';
import { MAX_RULES } from './active-rule.ts';
import { Complaints, NOWHERE, ScenarioError } from './complaints.ts';
import { Composition, type ComposedScenario } from './composition.ts';
import type { Edit } from './edits.ts';
import { checkFormat } from './format.ts';
import { noParamValues, type ParamValues } from './params.ts';
import type { Path } from './path.ts';
import { readRule, warnOfUnreached, type Rule, type WrittenRule } from './rule.ts';
import {
  textsOf,
  TextsOnRecord,
  type Origin,
  type ScenarioCopy,
  type ScenarioTexts,
} from './scenario-copy.ts';
import { ScenarioText } from './scenario-text.ts';
import { runInTurns, runSync, type Steps } from './steps.ts';
import { Targets } from './target.ts';

export interface Scenario {
  name: string;
  /** Absent if the scenario came with a call. */
  file?: string;
  description?: string;
  clock?: ClockSettings;
  state: Edit[];
  /** Unloading restores rows and clock. */
  restore: boolean;
  rules: Rule[];
  /** Values of the parameters. */
  params?: Record<string, unknown>;
  /** The file and the files that it includes. */
  files?: readonly string[];
  /** One line each; absent if there are none. */
  warnings?: string[];
  /** How to read the scenario again; absent if it came without a file. */
  origin?: Origin;
  /** For a later process. */
  copy: ScenarioCopy;
}

type CheckedScenario = Omit<Scenario, 'copy'>;

/** As scenarios/scenario.schema.json describes it. */
interface WrittenScenario {
  name: string;
  description?: string;
  clock?: WrittenClock;
  state?: WrittenChanges;
  rules?: WrittenRule[];
  restore?: boolean;
}

/** The service's contract and the contract of the rows. */
export interface ScenarioSource {
  readonly contract: Contract;
  readonly control: Contract;
}

/** Reads scenarios. Throws ScenarioError with all mistakes of a scenario and of those that it includes. */
export class ScenarioReader {
  readonly #source: ScenarioSource;
  readonly #folders: ScenarioTexts;

  constructor(source: ScenarioSource, folders: ScenarioTexts) {
    this.#source = source;
    this.#folders = folders;
  }

  /** YAML or JSON. `file`: the name in complaints. */
  read(text: string, file: string): Scenario {
    return runSync(this.#readText(text, file));
  }

  /** Like `read`, and lets other calls run in between. */
  readInTurns(text: string, file: string): Promise<Scenario> {
    return runInTurns(this.#readText(text, file));
  }

  /** Like `readInTurns`. Values that depend on missing parameters are not checked. */
  check(text: string, file: string): Promise<Scenario> {
    return runInTurns(this.#readText(text, file, true));
  }

  *#readText(text: string, file: string, isLenient = false): Steps<Scenario> {
    return yield* this.readValue(yield* ScenarioText.inSteps(text, file), [], isLenient);
  }

  /** Reads a part of a text; parameters have their defaults. */
  *readValue(text: ScenarioText, at: Path, isLenient = false, folders = this.#folders): Steps<Scenario> {
    const complaints = new Complaints(text.file, text.locate, at);
    const given = { values: {}, at: ['params'], complaints, isLenient };
    const texts = new TextsOnRecord(folders);
    const composed = yield* new Composition(texts).compose({ value: text.at(at), complaints }, given);
    const own = at.length === 0 ? text.text : JSON.stringify(text.at(at));
    const copy = { file: text.file, text: own, values: {}, areTexts: false, texts: texts.copied };
    return { ...(yield* this.#finish(composed, complaints, text.budget)), copy };
  }

  /** The scenario's name must be the file's name. */
  readFile(file: string, given: ParamValues = noParamValues(file)): Scenario {
    return runSync(this.readFileInSteps(file, given));
  }

  /** What is wrong with a file, apart from values that depend on missing parameters. */
  mistakesIn(file: string): string | undefined {
    try {
      this.readFile(file, { ...noParamValues(file), isLenient: true });
      return undefined;
    } catch (thrown) {
      if (thrown instanceof ScenarioError) return thrown.message;
      throw thrown;
    }
  }

  *readFileInSteps(file: string, given: ParamValues, folders = this.#folders): Steps<Scenario> {
    const texts = new TextsOnRecord(folders);
    const composed = yield* new Composition(texts).composeFile(file, given);
    const { values, areTexts = false } = given;
    const copy = { file, values, areTexts, texts: texts.copied };
    return { file, ...(yield* this.#finish(composed, given.complaints)), copy };
  }

  /** Throws ScenarioError if the contract has changed in the meantime, for example. */
  *readCopyInSteps({ file, text, values, areTexts, texts, origin }: ScenarioCopy): Steps<Scenario> {
    const folders = textsOf(texts);
    if (text !== undefined)
      return yield* this.readValue(yield* ScenarioText.inSteps(text, file), [], false, folders);
    const given = { values, areTexts, at: ['params'], complaints: new Complaints(file, NOWHERE) };
    const read = yield* this.readFileInSteps(file, given, folders);
    return origin ? { ...read, origin, copy: { ...read.copy, origin } } : read;
  }

  *#finish(
    composed: ComposedScenario,
    complaints: Complaints,
    budget = new CompilingBudget(),
  ): Steps<CheckedScenario> {
    const scenario = yield* this.#check(composed, new Targets(this.#source.contract), budget);
    complaints.throwIfAny();
    const params = Object.fromEntries([...composed.values].filter(([, value]) => typeof value !== 'symbol'));
    const warnings = yield* warnOfUnreached(scenario.rules);
    return { ...scenario, params, files: filesOf(composed), ...(warnings.length > 0 && { warnings }) };
  }

  /** Included scenarios come first; the scenario's own clock overrides theirs. */
  *#check(
    { written: value, complaints, included }: ComposedScenario,
    targets: Targets,
    budget: CompilingBudget,
  ): Steps<CheckedScenario> {
    yield;
    refuseTooMany(value, complaints);
    yield* checkFormat(value, complaints, budget);
    yield;
    const written = (isObject(value) ? value : {}) as unknown as WrittenScenario;
    const includedScenarios: { name: string; scenario: CheckedScenario }[] = [];
    for (const { name, part: composed } of included)
      includedScenarios.push({ name, scenario: yield* this.#check(composed, targets, budget) });
    const state = yield* readChanges(written.state, ['state'], this.#source.control, complaints);
    const rules: Rule[] = [];
    for (const [index, rule] of elements(written.rules)) {
      yield;
      const read = yield* readRule(rule, index, { ...this.#source, targets }, complaints);
      if (!complaints.isLeftOut(['rules', index])) rules.push(read);
    }
    const { name, description, clock } = written;
    const clocks = [...includedScenarios.map(({ scenario }) => scenario.clock), clock && readClock(clock)];
    const lastClock = clocks.findLast((each) => each !== undefined);
    return {
      name,
      ...(description !== undefined && { description }),
      ...(lastClock && { clock: lastClock }),
      state: [...includedScenarios.flatMap(({ scenario }) => scenario.state), ...state],
      rules: [...includedScenarios.flatMap(includedRules), ...rules],
      restore: written.restore === true || includedScenarios.some(({ scenario }) => scenario.restore),
    };
  }
}

function refuseTooMany(value: unknown, complaints: Complaints): void {
  const { rules } = isObject(value) ? value : {};
  if (!Array.isArray(rules) || rules.length <= MAX_RULES) return;
  complaints.add(['rules'], `has ${rules.length} rules; a scenario has at most ${MAX_RULES}`);
  complaints.giveUp();
}

/** Included rules remember the scenario that contains them. */
const includedRules = ({ name, scenario }: { name: string; scenario: CheckedScenario }): Rule[] =>
  scenario.rules.map((rule) => ({ from: name, ...rule }));

const filesOf = ({ file, included }: ComposedScenario): string[] => [
  ...(file === undefined ? [] : [file]),
  ...included.flatMap(({ part: composed }) => filesOf(composed)),
];
