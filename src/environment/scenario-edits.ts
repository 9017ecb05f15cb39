import type { Contract } from '../contract/contract.ts';
import { putBack } from '../scenarios/before-images.ts';
import { applyEdits, type Edit } from '../scenarios/edits.ts';
import type { AppliedState } from '../scenarios/rules.ts';
import type { ScenarioHost } from '../scenarios/script.ts';
import type { Clock, ClockMoves, ClockSettings } from './clock.ts';
import type { DurableState } from './durable-state.ts';
import type { RowChange, Env } from './env.ts';
import type { State } from './state.ts';
import type { TransactionOptions } from './unit-of-work.ts';

/** The environment that is edited. */
export interface ScenarioEditTarget {
  readonly state: State;
  readonly clock: Clock;
  /** Describes the stored rows. */
  readonly rows: Contract;
  readonly moves: ClockMoves;
}

/** Nobody calls when a scenario changes rows. */
const SCENARIO: TransactionOptions = { baseUrl: 'http://localhost' };
/** Nobody is told either: the rows are where they should be from the start. */
export const SET_UP: TransactionOptions = { ...SCENARIO, isSetUp: true };

/** What scenarios change in an environment: rows and clock, all or nothing. */
export class ScenarioEdits {
  readonly #env: ScenarioEditTarget;

  constructor(env: ScenarioEditTarget) {
    this.#env = env;
  }

  /** The changes see the new time, and the rows as they were before it: what it expires comes after. */
  host(edits: readonly Edit[], clock: ClockSettings | undefined): AppliedState {
    const { clock: time, moves } = this.#env;
    moves.settle();
    const before = time.settings();
    if (clock) time.set(clock);
    try {
      const changes = edits.length > 0 ? this.#apply(SET_UP, edits) : [];
      if (clock) moves.moved();
      else moves.settle();
      return { changes, clock: clock && before };
    } catch (thrown) {
      moves.turnBack(before);
      throw thrown;
    }
  }

  change(edits: readonly Edit[]): readonly RowChange[] {
    this.#env.moves.settle();
    return this.#apply(SCENARIO, edits);
  }

  /** Rows become what they were before the changes; so does the clock, and then what is due happens. */
  putBack(changes: readonly RowChange[], clock: ClockSettings | undefined): void {
    if (changes.length > 0) this.#write(SET_UP, (env) => putBack(env, changes));
    if (clock) this.#env.moves.move((time) => time.set(clock));
  }

  #apply(options: TransactionOptions, edits: readonly Edit[]): readonly RowChange[] {
    return this.#write(options, (env) => applyEdits(env, edits, this.#env.rows));
  }

  #write(options: TransactionOptions, run: (env: Env) => void): readonly RowChange[] {
    return this.#env.state.write(options, run).changes;
  }
}

/** What scenarios may do in an environment. */
export const scenarioHostOf = (env: DurableState): ScenarioHost => ({
  chance: () => env.chance(),
  now: () => env.clock.now(),
  change: (edits) => env.edits.change(edits),
  putBack: (changes, clock) => env.edits.putBack(changes, clock),
});
