import type { Contract } from '../contract/contract.ts';
import { restoreRows } from '../scenarios/before-images.ts';
import { applyEdits, type Edit } from '../scenarios/edits.ts';
import type { AppliedState } from '../scenarios/rules.ts';
import type { ScenarioHost } from '../scenarios/reply.ts';
import type { Clock, ClockMoves, ClockSettings } from './clock.ts';
import type { DurableState } from './durable-state.ts';
import type { RowChange, Env } from './env.ts';
import type { State } from './state.ts';
import type { TransactionOptions } from './unit-of-work.ts';

export interface ScenarioEditTarget {
  readonly state: State;
  readonly clock: Clock;
  /** Describes the stored rows. */
  readonly rows: Contract;
  readonly moves: ClockMoves;
}

const SCENARIO: TransactionOptions = { baseUrl: 'http://localhost' };
/** Records no events, because the rows are set up. */
export const SET_UP: TransactionOptions = { ...SCENARIO, isSetUp: true };

/** Changes that scenarios make to rows and clock: all or nothing. */
export class ScenarioEdits {
  readonly #target: ScenarioEditTarget;

  constructor(env: ScenarioEditTarget) {
    this.#target = env;
  }

  /** The edits run at the new time but before anything that the new time makes due. */
  applyState(edits: readonly Edit[], clock: ClockSettings | undefined): AppliedState {
    const { clock: time, moves } = this.#target;
    moves.settle();
    const before = time.settings();
    if (clock) time.set(clock);
    try {
      const changes = edits.length > 0 ? this.#apply(SET_UP, edits) : [];
      if (clock) moves.commitMove();
      else moves.settle();
      return { changes, clock: clock && before };
    } catch (thrown) {
      moves.undoMove(before);
      throw thrown;
    }
  }

  change(edits: readonly Edit[]): readonly RowChange[] {
    this.#target.moves.settle();
    return this.#apply(SCENARIO, edits);
  }

  /** Restores rows and clock, then runs what is due. */
  undo(changes: readonly RowChange[], clock: ClockSettings | undefined): void {
    if (changes.length > 0) this.#write(SET_UP, (env) => restoreRows(env, changes));
    if (clock) this.#target.moves.move((time) => time.set(clock));
  }

  #apply(options: TransactionOptions, edits: readonly Edit[]): readonly RowChange[] {
    return this.#write(options, (env) => applyEdits(env, edits, this.#target.rows));
  }

  #write(options: TransactionOptions, run: (env: Env) => void): readonly RowChange[] {
    return this.#target.state.write(options, run).changes;
  }
}

/** What scenarios may do in an environment. */
export const scenarioHostOf = (env: DurableState): ScenarioHost => ({
  chance: () => env.chance(),
  now: () => env.clock.now(),
  change: (edits) => env.edits.change(edits),
  restore: (changes, clock) => env.edits.undo(changes, clock),
});
