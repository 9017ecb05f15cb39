import type { CallEnd } from '../journal/entry.ts';
import { runInTurns, type Steps } from '../scenarios/steps.ts';
import type { SavedScenarios } from '../scenarios/loaded-scenario.ts';
import type { LoadedScenarios } from '../scenarios/rules.ts';
import type { Clock, ClockSettings } from '../state/clock.ts';
import type { RowChange } from '../state/env.ts';
import type { GeneratorMarks } from '../state/ids.ts';
import type { CountedCalls, RateWindow } from '../state/rate-window.ts';
import type { SavedState, State } from '../state/state.ts';
import { BoundedList, type Bounds } from './bounded-list.ts';
import type { SavePoint } from './save-points.ts';

/** What one commit did. */
export interface CommitStep {
  /** When, in milliseconds on the clock of the environment. */
  readonly time: number;
  /** The rows that were written; or, where all rows were replaced, the state before. */
  readonly written: readonly RowChange[] | SavedState;
  /** After the commit. */
  readonly generator: GeneratorMarks;
}

/** What an environment has beside rows, from this position on. */
export interface Surroundings {
  readonly position: number;
  readonly generator: GeneratorMarks;
  readonly clock: ClockSettings;
  readonly scenarios: SavedScenarios;
  readonly counted: CountedCalls;
  /** Of scenarios and clock: whoever has the same has not changed. */
  readonly version: string;
}

/** How many commits can be taken back, and how large the rows that all of them have written may be, in characters. */
const MOST_COMMITS = 20_000;
const MOST_TEXT = 64_000_000;
/** A commit that replaces all rows keeps the rows before it. So there are at most twenty of them. */
const TEXT_OF_REPLACEMENT = MOST_TEXT / 20;
/** How many changes of clock, rules and their counts are kept, and how many rules all of them may have. */
const MOST_SURROUNDINGS = 20_000;
const MOST_RULES = 100_000;

/** The parts of an environment that have a history. */
interface PartsWithHistory {
  readonly state: State;
  readonly clock: Clock;
  readonly scenarios: LoadedScenarios;
  readonly rateWindow: RateWindow;
}

const STEPS: Bounds<CommitStep> = {
  most: MOST_COMMITS,
  weight: MOST_TEXT,
  weightOf: ({ written }) => (isReplacement(written) ? TEXT_OF_REPLACEMENT : lengthOf(written)),
};
const SURROUNDINGS: Bounds<Surroundings> = {
  most: MOST_SURROUNDINGS,
  weight: MOST_RULES,
  weightOf: ({ scenarios }) => scenarios.loaded.reduce((sum, { rules }) => sum + rules.length, 0),
};

/** What `Moments` has, as lists. */
interface MomentList {
  /** How many commits came before the first step. */
  readonly position: number;
  readonly steps: readonly CommitStep[];
  readonly surroundings: readonly Surroundings[];
}

/** The history of one environment: its rows, clock, ids and scenarios at any of its latest commits. */
export class Moments {
  readonly #parts: PartsWithHistory;
  #steps = new BoundedList(STEPS);
  #surroundings = new BoundedList(SURROUNDINGS);
  /** What was asked for last: whoever reads one page of a moment soon reads the next one. */
  #latest: { position: number; state: SavedState } | undefined;

  constructor(parts: PartsWithHistory) {
    this.#parts = parts;
  }

  /** The number of commits so far. */
  get position(): number {
    return this.#steps.end;
  }

  /** The first position that can be shown. */
  get oldest(): number {
    return this.#steps.start;
  }

  /** Call this when the environment is ready. */
  begin(): void {
    this.#noteSurroundings();
  }

  /** Everything that it has. `first`: the index of the first surroundings, as calls name it. */
  list(): MomentList & { first: number } {
    const { start: position, end } = this.#steps;
    const { start: first, end: last } = this.#surroundings;
    const steps = this.#steps.slice(position, end);
    return { position, steps, surroundings: this.#surroundings.slice(first, last), first };
  }

  /** Takes a history from elsewhere in place of its own. It ends with the present state. */
  restore({ position, steps, surroundings }: MomentList): void {
    this.#steps = new BoundedList(STEPS, position);
    this.#surroundings = new BoundedList(SURROUNDINGS);
    this.#latest = undefined;
    for (const step of steps) this.#steps.push(step);
    for (const each of surroundings) this.#surroundings.push(each);
  }

  /** Call this after each commit. */
  noteCommit(changes: readonly RowChange[]): void {
    this.#note(changes);
  }

  /** Call this after all rows were replaced. */
  noteReplacement(before: SavedState): void {
    this.#note(before);
  }

  /** The present moment. The cost is that of two numbers. */
  get now(): CallEnd {
    return { position: this.position, surroundings: this.#surroundings.end - 1 };
  }

  /** Call this when a call has its answer. */
  noteCall(): CallEnd {
    this.#noteSurroundings();
    return this.now;
  }

  /** When the environment was there, in milliseconds on its clock; undefined: before its first commit. */
  timeOf(position: number): number | undefined {
    return this.#steps.at(position - 1)?.time;
  }

  /** The commits after `from` up to `to`, oldest first. */
  between(from: number, to: number): readonly CommitStep[] {
    return this.#steps.slice(from, to);
  }

  /** The position at that time by the clock of the environment, which may have been moved. */
  positionAt(time: number): number {
    for (let position = this.#steps.end; position > this.#steps.start; position -= 1)
      if (this.#steps.at(position - 1)!.time <= time) return position;
    return this.#steps.start;
  }

  /** The state after that many commits. Other calls are served meanwhile. */
  async stateAt(position: number): Promise<SavedState> {
    if (this.#latest?.position === position) return this.#latest.state;
    const state = await runInTurns(this.#takenBackTo(position));
    this.#latest = { position, state };
    return state;
  }

  /**
   * Everything that a fork from there needs; undefined: the history no longer has the scenarios and the clock of that moment.
   * `end`: that of a call.
   */
  async pointAt(position: number, end?: CallEnd): Promise<SavePoint | undefined> {
    const index = end?.surroundings ?? this.#surroundings.lastIndexWhere((each) => each.position <= position);
    const found = this.#surroundings.at(index);
    const [present, time] = [this.#parts.state.generator.marks(), this.timeOf(position)];
    if (!found) return undefined;
    const { clock, scenarios, counted } = found;
    const generator =
      found.position === position ? found.generator : (this.#steps.at(position - 1)?.generator ?? present);
    const state = { ...(await this.stateAt(position)), generator };
    return { state, clock: clockAt(clock, time), scenarios, counted };
  }

  #note(written: CommitStep['written']): void {
    const { clock, state } = this.#parts;
    this.#steps.push({ time: clock.now(), written, generator: state.generator.marks() });
    this.#noteSurroundings();
  }

  /** Most calls change neither clock nor scenarios. */
  #noteSurroundings(): void {
    const { clock, scenarios, rateWindow, state } = this.#parts;
    const counted = rateWindow.save();
    const version = `${clock.version} ${scenarios.unstored.version}`;
    const last = this.#surroundings.at(this.#surroundings.end - 1);
    if (last?.version === version && last.counted === counted) return;
    this.#surroundings.push({
      position: this.position,
      generator: state.generator.marks(),
      clock: clock.settings(),
      scenarios: last?.version === version ? last.scenarios : scenarios.save(),
      counted,
      version,
    });
  }

  *#takenBackTo(position: number): Steps<SavedState> {
    const copy = this.#parts.state.copy();
    for (const { written } of this.#steps.slice(position, this.#steps.end).toReversed()) {
      if (isReplacement(written)) copy.restore(written);
      else copy.takeBack(written);
      yield;
    }
    return copy.save();
  }
}

const isReplacement = (written: CommitStep['written']): written is SavedState => !Array.isArray(written);

/** About as many characters as the value has in JSON. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 5;
  let length = 10;
  for (const [name, member] of Object.entries(value)) length += name.length + lengthOf(member);
  return length;
}

/** A clock that runs goes on from the time of the moment. */
const clockAt = (clock: ClockSettings, time: number | undefined): ClockSettings =>
  clock.mode === 'frozen' || time === undefined
    ? clock
    : { mode: 'offset', at: new Date(time).toISOString() };
