import { StoreError, type Collections, type Commit } from '../store/change-log.ts';
import type { DurableLogOfEnvironment } from '../store/store.ts';
import type { Clock, ClockSettings } from './clock.ts';
import { FixtureRows } from './fixture/frozen-rows.ts';
import type { GeneratorMarks } from './ids.ts';
import { NotKept } from './not-kept.ts';
import type { State } from './state.ts';

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
  #env: DurableLogOfEnvironment | undefined;
  #folding = false;
  /** The disk has another state than the memory: the next commit holds all rows. */
  #isBehind = false;

  constructor(remembered: Remembered) {
    this.#remembered = remembered;
  }

  get isKept(): boolean {
    return this.#env !== undefined;
  }

  /** From now on commits go there. What is there now is the state. */
  async attach(env: DurableLogOfEnvironment, first: FirstWrite): Promise<void> {
    this.#env = env; // calls may come while it is written
    try {
      await env.fold(this.#state());
    } catch (thrown) {
      if (!(thrown instanceof StoreError) || first === 'must succeed') throw thrown;
      this.#isBehind = true;
      this.#remembered.warn(`${thrown.message}: calls that change nothing are served, others are refused`);
    }
  }

  /** Asks for the commit only where somebody keeps it. Throws NotKept when it can't be kept. */
  append(describe: () => Omit<Commit, 'marks'>): void {
    if (!this.#env) return;
    try {
      const { base } = this.#write(this.#env, describe);
      if (base || this.#env.wantsFold) this.#foldSoon();
    } catch (thrown) {
      throw NotKept.of(thrown);
    }
  }

  /** Throws where what was answered is kept nowhere. */
  async close(): Promise<void> {
    const env = this.#env;
    if (!env) return;
    try {
      await env.fold(this.#state());
    } catch (thrown) {
      if (!(thrown instanceof StoreError) || env.isLost) throw thrown;
      this.#remembered.warn(`${thrown.message}: the next start reads what is there`);
    } finally {
      await env.close();
    }
  }

  /** File and log are gone. */
  async remove(): Promise<void> {
    const env = this.#env;
    this.#env = undefined;
    await env?.remove();
  }

  #write(env: DurableLogOfEnvironment, describe: () => Omit<Commit, 'marks'>): Omit<Commit, 'marks'> {
    const { isLost } = env;
    if (!isLost && !this.#isBehind) {
      const commit = describe();
      env.append({ ...commit, marks: this.#remembered.marks() });
      return commit;
    }
    const whole = { base: this.#remembered.collections(), changes: [] };
    env.beginAgain({ ...whole, marks: this.#remembered.marks() });
    this.#isBehind = false;
    if (isLost)
      this.#remembered.warn(
        `the files of environment ${env.name} were deleted, replaced or shortened by somebody else: ` +
          'its whole state is written again',
      );
    return whole;
  }

  #state() {
    return { marks: this.#remembered.marks(), collections: this.#remembered.collections() };
  }

  /** One at a time; commits go on meanwhile. */
  #foldSoon(): void {
    if (!this.#env || this.#folding) return;
    this.#folding = true;
    // A fold that fails costs nothing: the log has it all, and the next fold tries again.
    this.#env
      .fold(this.#state())
      .catch((thrown: Error) => this.#remembered.warn(`${thrown.message}: the log goes on growing`))
      .finally(() => (this.#folding = false));
  }
}

export interface Replayed {
  state: State;
  clock: Clock;
  fixture: FixtureRows;
}

/** What a log knows happens again, in order. */
export function replay({ snapshot, commits }: DurableLogOfEnvironment, env: Replayed): void {
  if (snapshot) restart(env, new FixtureRows(snapshot.collections), snapshot.marks as Marks);
  for (const commit of commits) repeat(env, commit);
}

function repeat(env: Replayed, { base, changes, marks }: Commit): void {
  if (base) restart(env, base === 'fixture' ? env.fixture : new FixtureRows(base), marks as Marks);
  env.state.apply(changes);
  recall(env, marks as Marks);
}

function restart(env: Replayed, seed: FixtureRows, marks: Marks): void {
  env.state.start(seed);
  recall(env, marks);
}

function recall({ state, clock }: Replayed, marks: Marks): void {
  state.generator = marks.generator;
  clock.set(marks.clock);
}
