import type { Collections, Commit } from '../store/change-log.ts';
import type { DurableWorld } from '../store/store.ts';
import type { ClockSettings } from '../world/clock.ts';
import type { GeneratorMarks } from '../world/ids.ts';
import { StoreError } from '../store/store-error.ts';
import { NotKept } from './not-kept.ts';

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
  /** Told of what goes wrong without harm to any call. */
  warn: (line: string) => void;
}

/** `may fail`: a full or read-only disk can still be read. */
export type FirstWrite = 'must succeed' | 'may fail';

/** The log of an environment that is kept on disk; for the others, nothing. */
export class DurableLog {
  readonly #remembered: Remembered;
  #world: DurableWorld | undefined;
  #folding = false;
  /** The disk has another state than the memory: the next commit holds all rows. */
  #isBehind = false;

  constructor(remembered: Remembered) {
    this.#remembered = remembered;
  }

  get isKept(): boolean {
    return this.#world !== undefined;
  }

  /** From now on commits go there. What is there now is the state. */
  async attach(world: DurableWorld, first: FirstWrite): Promise<void> {
    this.#world = world; // calls may come while it is written
    try {
      await world.fold(this.#state());
    } catch (thrown) {
      if (!(thrown instanceof StoreError) || first === 'must succeed') throw thrown;
      this.#isBehind = true;
      this.#remembered.warn(`${thrown.message}: calls that change nothing are served, others are refused`);
    }
  }

  /** Asks for the commit only where somebody keeps it. Throws NotKept when it can't be kept. */
  append(describe: () => Omit<Commit, 'marks'>): void {
    if (!this.#world) return;
    try {
      const { base } = this.#write(this.#world, describe);
      if (base || this.#world.wantsFold) this.#foldSoon();
    } catch (thrown) {
      throw NotKept.of(thrown);
    }
  }

  /** Throws where what was answered is kept nowhere. */
  async close(): Promise<void> {
    const world = this.#world;
    if (!world) return;
    try {
      await world.fold(this.#state());
    } catch (thrown) {
      if (!(thrown instanceof StoreError) || world.isLost) throw thrown;
      this.#remembered.warn(`${thrown.message}: the next start reads what is there`);
    } finally {
      await world.close();
    }
  }

  /** File and log are gone. */
  async remove(): Promise<void> {
    const world = this.#world;
    this.#world = undefined;
    await world?.remove();
  }

  #write(world: DurableWorld, describe: () => Omit<Commit, 'marks'>): Omit<Commit, 'marks'> {
    const { isLost } = world;
    if (!isLost && !this.#isBehind) {
      const commit = describe();
      world.append({ ...commit, marks: this.#remembered.marks() });
      return commit;
    }
    const whole = { base: this.#remembered.collections(), changes: [] };
    world.beginAgain({ ...whole, marks: this.#remembered.marks() });
    this.#isBehind = false;
    if (isLost)
      this.#remembered.warn(
        `the files of environment ${world.name} were deleted, replaced or shortened by somebody else: ` +
          'its whole state is written again',
      );
    return whole;
  }

  #state() {
    return { marks: this.#remembered.marks(), collections: this.#remembered.collections() };
  }

  /** One at a time; commits go on meanwhile. */
  #foldSoon(): void {
    if (!this.#world || this.#folding) return;
    this.#folding = true;
    // A fold that fails costs nothing: the log has it all, and the next fold tries again.
    this.#world
      .fold(this.#state())
      .catch((thrown: Error) => this.#remembered.warn(`${thrown.message}: the log goes on growing`))
      .finally(() => (this.#folding = false));
  }
}
