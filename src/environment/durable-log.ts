import { AbsentLog } from '../store/memory-log.ts';
import type { CommitCounts } from '../metrics/metrics.ts';
import {
  Overtaken,
  StoreError,
  type Collections,
  type Commit,
  type StoreUnavailable,
} from '../store/change-log.ts';
import { NotKept } from '../store/not-kept.ts';
import type { EnvironmentLog, LogFollower, Rest, SavePointStore, SharedLog } from '../store/storage.ts';
import { uptime, type Clock } from '../state/clock.ts';
import { changesFrom } from '../state/difference.ts';
import { FixtureRows } from '../state/fixture-rows.ts';
import type { Marks } from './marks.ts';
import type { State } from '../state/state.ts';
import type { StoredParts } from './stored-parts.ts';
import type { EnvironmentServices } from './environment.ts';

/** `may fail`: a full or read-only disk can still be read. */
export type FirstWrite = 'must succeed' | 'may fail';

/** The change log of one environment; does nothing for environments that are kept in memory. */
export class DurableLog {
  readonly #state: State;
  readonly #marks: () => StoredParts;
  readonly #warn: (line: string) => void;
  readonly #commits: CommitCounts;
  readonly #follower: () => LogFollower;
  #env: EnvironmentLog | undefined;
  #folding = false;
  /** The disk has an older state, so the next commit writes all rows. */
  #isBehind = false;

  constructor(
    state: State,
    marks: () => StoredParts,
    { warn, metrics }: Pick<EnvironmentServices, 'warn' | 'metrics'>,
    follower: () => LogFollower,
  ) {
    this.#state = state;
    this.#marks = marks;
    this.#warn = warn;
    this.#commits = metrics.commits;
    this.#follower = follower;
  }

  get savePoints(): SavePointStore | undefined {
    return this.#env?.savePoints;
  }

  /** Undefined if no other process writes the log. */
  get shared(): SharedLog | undefined {
    return this.#env?.shared;
  }

  get isKept(): boolean {
    return this.#env !== undefined;
  }

  /** Starts logging with the present state. */
  async attach(env: EnvironmentLog, first: FirstWrite): Promise<void> {
    this.#env = env; // calls may arrive during the write
    env.shared?.follow(this.#follower());
    try {
      const beginning = env.begin(this.#everything());
      this.#marks().written();
      await beginning;
    } catch (thrown) {
      if (!(thrown instanceof StoreError) || thrown instanceof Overtaken || first === 'must succeed')
        throw thrown;
      this.#isBehind = true;
      this.#warn(`${thrown.message}: Understudy serves calls that change nothing, and refuses others`);
    }
  }

  /** Whether the store has everything, and this process still has the environment. */
  get isStored(): boolean {
    return this.isKept && !this.isOver && !this.#isBehind && this.kept() === undefined;
  }

  /** Refuses everything, because another process has the environment. */
  refuse(name: string, reason: StoreUnavailable): void {
    this.#env = new AbsentLog(name, reason);
  }

  /** Another process may have the environment now. */
  get isOver(): boolean {
    return this.#env?.isOver ?? false;
  }

  /** `describe` is called only if there is a log. Throws NotKept if the write fails. */
  append(describe: () => Omit<Commit, 'marks'>): void {
    if (!this.#env) return;
    const start = uptime();
    try {
      const { base } = this.#write(this.#env, describe);
      this.#commits.add(start, this.#env.kept());
      if (base || this.#env.wantsFold) this.#foldSoon();
    } catch (thrown) {
      throw NotKept.of(thrown);
    }
  }

  /**
   * Undefined if everything appended is stored and may be shown. Otherwise a promise that resolves once that is so, and
   * rejects with NotKept if it will never be.
   */
  kept(): Promise<void> | undefined {
    const storing = this.#env?.kept()?.catch((thrown: unknown) => {
      throw NotKept.of(thrown);
    });
    storing?.catch(() => {}); // the caller that waits for it gets the error
    return storing;
  }

  /** `rest`: what others must know of the environment meanwhile. Throws if answered changes would be lost. */
  async close(rest?: Rest): Promise<void> {
    const env = this.#env;
    if (!env) return;
    try {
      await env.finish(this.#everything());
    } catch (thrown) {
      if (!(thrown instanceof StoreError) || env.isLost) throw thrown;
      this.#warn(`${thrown.message}: the next start reads the last stored state and the log`);
    } finally {
      await env.close(rest);
    }
  }

  /** `next`: the generation of a later environment of this name. */
  async remove(next: number): Promise<void> {
    const env = this.#env;
    this.#env = undefined;
    await env?.remove(next);
  }

  #write(env: EnvironmentLog, describe: () => Omit<Commit, 'marks'>): Omit<Commit, 'marks'> {
    const { isLost } = env;
    if (!isLost && !this.#isBehind) {
      const commit = describe();
      env.append({ ...commit, marks: this.#marks().changes() });
      this.#marks().written();
      return commit;
    }
    const everything = { base: this.#state.collections(), changes: [] };
    env.beginAgain({ ...everything, marks: this.#marks().whole() });
    this.#marks().written();
    this.#isBehind = false;
    if (isLost)
      this.#warn(
        `the files of environment ${env.name} were deleted, replaced or shortened by somebody else: ` +
          'its whole state is written again',
      );
    return everything;
  }

  #everything() {
    return { marks: this.#marks().whole(), collections: this.#state.collections() };
  }

  /** One fold at a time; commits continue meanwhile. */
  #foldSoon(): void {
    if (!this.#env || this.#folding) return;
    this.#folding = true;
    // A failed fold loses nothing: the log is complete, and the next fold tries again.
    this.#env
      .fold(this.#everything())
      .catch((thrown: Error) => this.#warn(`${thrown.message}: the log is not shortened until the next try`))
      .finally(() => (this.#folding = false));
  }
}

interface ReplayTarget {
  state: State;
  clock: Clock;
  /** The rows of the start. */
  fixture: FixtureRows;
}

/** Brings the target to the state of the log. */
export function replay({ snapshot, commits }: EnvironmentLog, env: ReplayTarget): void {
  env.state.start(env.fixture);
  if (snapshot) replaceRows(env, snapshot.collections, snapshot.marks as Marks);
  for (const commit of commits) replayCommit(env, commit);
}

export function replayCommit(env: ReplayTarget, { base, changes, marks }: Commit): void {
  if (base === 'fixture') env.state.start(env.fixture);
  else if (base) replaceRows(env, base, marks as Marks);
  env.state.apply(changes);
  restoreMarks(env, marks as Marks);
}

/** Environments share the rows of their fixture, so that most of them need little memory. */
function replaceRows(env: ReplayTarget, rows: Collections, marks: Marks): void {
  const changes = changesFrom(env.fixture, rows);
  env.state.start(changes ? env.fixture : new FixtureRows(rows));
  if (changes) env.state.apply(changes);
  restoreMarks(env, marks);
}

function restoreMarks({ state, clock }: ReplayTarget, marks: Marks): void {
  state.generator.restore(marks.generator);
  clock.set(marks.clock);
}
