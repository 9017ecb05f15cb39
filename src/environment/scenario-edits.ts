import type { Contract } from '../contract/contract.ts';
import { restoreRows } from '../scenarios/loaded-scenario.ts';
import { applyEdits, type Edit } from '../scenarios/edits.ts';
import type { ScenarioHost } from '../scenarios/rule-outcome.ts';
import type { AppliedState } from '../scenarios/rules.ts';
import type { ClockMoves, Ticker } from './ticker.ts';
import type { Clock, ClockSettings } from '../state/clock.ts';
import type { Env, RowChange } from '../state/env.ts';
import type { State } from '../state/state.ts';
import { SET_UP, type TransactionOptions } from '../state/units-of-work.ts';
import type { UnitsOfWork } from '../state/units-of-work.ts';

interface ScenarioEditParts {
  readonly state: State;
  readonly clock: Clock;
  readonly units: UnitsOfWork;
  readonly ticker: Ticker;
  readonly moves: ClockMoves;
  /** Describes the stored rows. */
  readonly rows: Contract;
}

const BY_RULE: TransactionOptions = { baseUrl: 'http://localhost' };

/** Changes that scenarios make to rows and clock: all or nothing. */
export class ScenarioEdits {
  readonly #parts: ScenarioEditParts;

  constructor(parts: ScenarioEditParts) {
    this.#parts = parts;
  }

  /** What rules may do in the environment. */
  get host(): ScenarioHost {
    const { state, clock } = this.#parts;
    return {
      chance: () => state.generator.draw(),
      now: () => clock.now(),
      change: (edits) => this.#change(edits),
      restore: (changes, settings) => this.#undo(changes, settings),
    };
  }

  /** The edits run at the new time but before anything that the new time makes due. */
  applyState(edits: readonly Edit[], clock: ClockSettings | undefined): AppliedState {
    const { clock: time, moves, ticker } = this.#parts;
    ticker.runDue();
    const before = time.settings();
    if (clock) time.set(clock);
    try {
      const changes = edits.length > 0 ? this.#apply(SET_UP, edits) : [];
      if (clock) moves.commit();
      else ticker.runDue();
      return { changes, clock: clock && before };
    } catch (thrown) {
      moves.undo(before);
      throw thrown;
    }
  }

  #change(edits: readonly Edit[]): readonly RowChange[] {
    this.#parts.ticker.runDue();
    return this.#apply(BY_RULE, edits);
  }

  /** Restores rows and clock, then runs what is due. */
  #undo(changes: readonly RowChange[], clock: ClockSettings | undefined): void {
    if (changes.length > 0) this.#write(SET_UP, (env) => restoreRows(env, changes));
    if (clock) this.#parts.moves.move((time) => time.set(clock));
  }

  #apply(options: TransactionOptions, edits: readonly Edit[]): readonly RowChange[] {
    return this.#write(options, (env) => applyEdits(env, edits, this.#parts.rows));
  }

  #write(options: TransactionOptions, run: (env: Env) => void): readonly RowChange[] {
    const { clock, units } = this.#parts;
    return units.run(options, clock.moment(), run).changes;
  }
}
