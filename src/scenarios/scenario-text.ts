import { excessOf } from '../contract/body.ts';
import { CompilingBudget } from '@understudy/text/expression';
import { loneSurrogateIn, NOT_WELL_FORMED, withEscapes } from '@understudy/text/json';
import { MAX_LISTED, ScenarioError, type Complaint, type Locate } from './complaints.ts';
import { readJson } from './json-text.ts';
import { formatPath, valueAt, type Path } from './path.ts';
import { linesOf, positionIn, type Position, type ReadText, type TextFault } from './read-text.ts';
import { runSync, type Steps } from './steps.ts';
import { readYaml } from './yaml-text.ts';

/** A scenario in YAML or JSON: its value and the position of each member. */
export class ScenarioText {
  readonly file: string;
  readonly text: string;
  readonly value: unknown;
  /** A call that loads several scenarios has them in one text. */
  readonly budget = new CompilingBudget();
  readonly #read: ReadText;
  /** Offsets of line starts. */
  readonly #lines: readonly number[];

  /** Throws ScenarioError if the text is not valid YAML. */
  constructor(text: string, file: string, read = runSync(readText(text))) {
    this.file = file;
    this.text = text;
    this.#lines = linesOf(text);
    this.#read = read;
    const { value, faults } = this.#read;
    if (faults.length > 0) throw new ScenarioError(this.#complaints(faults));
    const message = excessOf(value);
    if (message !== undefined) throw new ScenarioError(this.#complaints([{ offset: 0, message }]));
    this.value = value;
    this.#refuseLoneSurrogate(text);
  }

  /** Like the constructor, in steps. */
  static *inSteps(text: string, file: string): Steps<ScenarioText> {
    return new ScenarioText(text, file, yield* readText(text));
  }

  #refuseLoneSurrogate(text: string): void {
    const found = loneSurrogateIn(this.value, text);
    if (!found) return;
    const place = { path: withEscapes(formatPath(found)), ...this.locate(found, 'value') };
    throw new ScenarioError([{ file: this.file, ...place, message: NOT_WELL_FORMED }]);
  }

  at(path: Path): unknown {
    return valueAt(path, this.value);
  }

  readonly locate: Locate = (path, part) => this.#position(this.#read.offsetOf(path, part));

  /** One fault for each line, because later ones are mostly consequences. */
  #complaints(faults: readonly TextFault[]): Complaint[] {
    const listed = new Map<number, Complaint>();
    for (const { offset, message } of faults) {
      const position = this.#position(offset);
      if (!listed.has(position.line))
        listed.set(position.line, { file: this.file, ...position, path: '', message });
      if (listed.size > MAX_LISTED) break;
    }
    return [...listed.values()];
  }

  #position(offset: number): Position {
    return positionIn(this.#lines, offset);
  }
}

function* readText(text: string): Steps<ReadText> {
  return (yield* readJson(text)) ?? (yield* readYaml(text));
}
