import type { Collections, Commit } from '../store/change-log.ts';
import type { DurableWorld } from '../store/store.ts';
import type { ClockSettings } from '../world/clock.ts';
import type { GeneratorMarks } from '../world/ids.ts';

/** What an environment started from: a reset goes back to it, in a later process too. */
export interface Origin {
  /** Name or file; undefined: the fixture of `default`. */
  fixture?: string | undefined;
  seed: number;
  clock: ClockSettings;
  /** Fields that the contract does not name are refused, not dropped; undefined: as `--strict` says. */
  strict?: boolean | undefined;
}

export interface Marks {
  generator: GeneratorMarks;
  clock: ClockSettings;
  origin: Origin;
}

/** What is remembered: asked for when it is written, and the rows only when all of them are. */
export interface Remembered {
  marks: () => Marks;
  collections: () => Collections;
}

/** The log of an environment that is kept on disk; for the others, nothing. */
export class DurableLog {
  readonly #remembered: Remembered;
  #world: DurableWorld | undefined;
  #folding = false;

  constructor(remembered: Remembered) {
    this.#remembered = remembered;
  }

  get isKept(): boolean {
    return this.#world !== undefined;
  }

  /** From now on commits go there. What is there now is the state. */
  async attach(world: DurableWorld): Promise<void> {
    this.#world = world;
    await world.fold(this.#state());
  }

  /** Asks for the commit only where somebody keeps it. Throws when it can't be kept. */
  append(describe: () => Omit<Commit, 'marks'>): void {
    if (!this.#world) return;
    const commit = describe();
    this.#world.append({ ...commit, marks: this.#remembered.marks() });
    if (commit.base || this.#world.wantsFold) this.#foldSoon();
  }

  async close(): Promise<void> {
    await this.#world?.fold(this.#state());
    await this.#world?.close();
  }

  /** File and log are gone. */
  async remove(): Promise<void> {
    const world = this.#world;
    this.#world = undefined;
    await world?.remove();
  }

  #state() {
    return { marks: this.#remembered.marks(), collections: this.#remembered.collections() };
  }

  /** One at a time; commits go on meanwhile. */
  #foldSoon(): void {
    if (!this.#world || this.#folding) return;
    this.#folding = true;
    // A fold that fails costs nothing: the log has it all, and the next fold tries again.
    const done = () => (this.#folding = false);
    this.#world.fold(this.#state()).then(done, done);
  }
}
