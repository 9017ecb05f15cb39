import type { Contract } from '../contract/contract.ts';
import { putBack } from '../scenarios/before-images.ts';
import { applyEdits, type Edit } from '../scenarios/edits.ts';
import type { Staged } from '../scenarios/rules.ts';
import type { Clock, ClockSettings } from '../world/clock.ts';
import type { RowChange } from '../world/row-change.ts';
import type { World } from '../world/world.ts';
import type { WorldState } from './world-state.ts';
import type { ClockMoves } from './clock-moves.ts';
import type { Occasion } from './occasion.ts';

/** The world that is edited. */
export interface Stageable {
  readonly state: WorldState;
  readonly clock: Clock;
  /** Describes the stored rows. */
  readonly rows: Contract;
  readonly moves: ClockMoves;
}

/** Nobody calls when a scenario changes rows. */
const SCENARIO: Occasion = { baseUrl: 'http://localhost' };
/** Nobody is told either: the rows are where they should be from the start. */
export const SET_UP: Occasion = { ...SCENARIO, isSetUp: true };

/** What scenarios change in a world: rows and clock, all or nothing. */
export class ScenarioEdits {
  readonly #world: Stageable;

  constructor(world: Stageable) {
    this.#world = world;
  }

  /** The changes see the new time, and the rows as they were before it: what it expires comes after. */
  stage(edits: readonly Edit[], clock: ClockSettings | undefined): Staged {
    const { clock: time, moves } = this.#world;
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
    this.#world.moves.settle();
    return this.#apply(SCENARIO, edits);
  }

  /** Rows become what they were before the changes; so does the clock, and then what is due happens. */
  putBack(changes: readonly RowChange[], clock: ClockSettings | undefined): void {
    if (changes.length > 0) this.#write(SET_UP, (world) => putBack(world, changes));
    if (clock) this.#world.moves.move((time) => time.set(clock));
  }

  #apply(occasion: Occasion, edits: readonly Edit[]): readonly RowChange[] {
    return this.#write(occasion, (world) => applyEdits(world, edits, this.#world.rows));
  }

  #write(occasion: Occasion, run: (world: World) => void): readonly RowChange[] {
    return this.#world.state.write(occasion, run).changes;
  }
}
