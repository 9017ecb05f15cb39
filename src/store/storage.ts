import type { Collections, Commit, StoreError } from './change-log.ts';
import type { Snapshot } from './snapshot.ts';

/** How one of several processes uses a database that they share. */
export interface DatabaseSettings {
  warn: (message: string) => void;
  /** Hashes of the settings that all processes must share, by name. */
  shared: Readonly<Record<string, string>>;
}

/** Stores environments by name. Failures are StoreErrors. */
export interface Store {
  /** The stored environments that are opened at the start. */
  envs(): Promise<readonly string[]>;
  /**
   * Only one process can have an environment open. `existing`: the environment was listed; if somebody has removed it
   * since, it stays removed. Throws StoreUnavailable in both cases.
   */
  open(name: string, wanted?: 'existing'): Promise<EnvironmentLog>;
  /** Calls back, now and then, for as long as other processes may use the same store. */
  watch(listener: (names: StoredNames) => void): void;
  /** Absent if no other process can use the store. */
  readonly shared?: SharedStore | undefined;
  /** Absent if every stored environment is open. */
  readonly resting?: RestingEnvironments | undefined;
  /** How many environments of this name were removed, or more. */
  generation(name: string): Promise<number>;
  /** Why nothing can be read or written now. */
  refusal(): StoreError | undefined;
  close(): Promise<void>;
}

/** A store that several processes use at the same time. */
export interface SharedStore {
  isStored(name: string): Promise<boolean>;
  /** Notes that the environment is kept for a test, later than all others. */
  keep(name: string): Promise<void>;
  /** Those that were kept before the latest `limit`. */
  keptBefore(limit: number): Promise<string[]>;
}

/** The stored environments that no process has open. */
export interface RestingEnvironments {
  /** In order of name. */
  list(page: RestingPage): Promise<readonly RestingEnvironment[]>;
  /** Removes temporary environments that nobody has used for so many milliseconds, and returns their names. */
  dropUnused(limit: number): Promise<readonly string[]>;
}

export interface RestingPage {
  /** Only names after this one. */
  after: string;
  limit: number;
  /** Only those that are kept for a test. */
  isKept?: boolean;
}

export interface RestingEnvironment {
  name: string;
  /** Milliseconds since somebody used it. */
  idle: number;
  /** As `Rest` has it. */
  summary: unknown;
}

/** What others must know of an environment that nobody has open. */
export interface Rest {
  /** Milliseconds until something happens in it by itself; Infinity: nothing ever does. */
  dueIn: number;
  /** Milliseconds since somebody used it. */
  idle: number;
  /** Whether it is dropped if nobody uses it. */
  isTemporary: boolean;
  /** What a list shows of it, as JSON. */
  summary: unknown;
}

/** What may have changed since the last call. */
export interface StoredNames {
  /** Environments that nobody has open, and that must be opened now. */
  free: readonly string[];
  /** Whether the store could not be used for a time since the last call. */
  wasAway: boolean;
}

/** All rows of an environment, its generators and its clock. */
export interface EnvironmentState {
  marks: unknown;
  collections: Collections;
}

/** Further states of one environment, by number. */
export interface SavePointStore {
  write(id: number, state: EnvironmentState): Promise<void>;
  read(id: number): Promise<EnvironmentState>;
  /** Removes all others. */
  keepOnly(ids: readonly number[]): Promise<void>;
}

/** Calls of one environment that are stored together. */
export interface CallBatch {
  /** JSON in one line. */
  text: string;
  /** The largest number of a call that has arrived. */
  last: number;
  /** Batches whose calls all have smaller numbers are removed. */
  oldest: number;
  /** Whether all earlier batches are removed, whatever their numbers. */
  replaces: boolean;
}

/** The calls of one environment. They are written behind the answers, so that the latest may be missing. */
export interface StoredJournal {
  /** The texts of all batches, oldest first. */
  read(): Promise<readonly string[]>;
  /** One at a time. Rejects if the batch is not stored, or nobody knows. */
  write(batch: CallBatch): Promise<void>;
}

/** What a log that several processes write needs of the environment. */
export interface LogFollower {
  /** The present state. The cost does not depend on the number of rows. */
  save(): unknown;
  /** Returns to a state that was saved. */
  restore(saved: unknown): void;
  /** Reads what these commits of other processes need. The returned function makes their changes. */
  prepare(commits: readonly Commit[]): (() => void) | Promise<() => void>;
  /** What others must know while no process uses the environment. */
  rest(): Rest;
  /** Reads the calls that other processes have answered. */
  readCalls(): Promise<void> | undefined;
  /** Whether somebody follows what happens in the environment. */
  readonly isFollowed: boolean;
}

/** What other processes have done with the calls of one environment. */
export interface CallNews {
  /** The calls that they have added since the last time. */
  texts: readonly string[];
  /** Calls up to this number were removed. */
  cleared: number;
}

/** The calls of one environment that several processes answer. */
export interface CallTable {
  /** A number that no other process gives, larger than all that were given before by the clock of the database. */
  number(after: number): number;
  /** `evicted`: calls up to this number are removed. */
  add(calls: readonly { number: number; text: string }[], evicted: number): Promise<void>;
  news(): Promise<CallNews>;
  /** Removes calls up to this number. */
  clear(last: number): Promise<void>;
}

/** A log that several processes write. Each commit is stored at the position that its process has read up to. */
export interface SharedLog {
  /** Called once, when the environment has the state of the log. */
  follow(follower: LogFollower): void;
  /** Resolves once the environment has everything that was stored before the call. Rejects with a StoreError. */
  readOn(): Promise<void>;
  readonly calls: CallTable;
  /** Whether one process alone makes the outgoing call, until the time for it is over. */
  claim(call: string): Promise<boolean>;
  /** The outgoing call was made, or another process may make it. */
  release(call: string): Promise<void>;
}

/** The snapshot and the log of one environment. */
export interface EnvironmentLog {
  readonly name: string;
  /** As found at opening; dropped by `begin`, as `commits` are. */
  readonly snapshot: Snapshot | undefined;
  /** Commits after the snapshot, oldest first; empty for a new environment. */
  readonly commits: readonly Commit[];
  /** At opening, the milliseconds since somebody used the environment. */
  readonly idle: number;
  /** The `summary` of the latest rest; absent if there was none. */
  readonly summary?: unknown;
  /** Called once, with the state after snapshot and commits, before the first commit. */
  begin(state: EnvironmentState): Promise<void>;
  /** Called before the answer is sent. Throws if the commit cannot be stored; `kept` says when it is. */
  append(commit: Commit): void;
  /**
   * Undefined if everything appended is stored and this process may show it. Otherwise a promise that resolves once
   * that is so, and rejects if it will never be.
   */
  kept(): Promise<void> | undefined;
  /** Somebody has deleted, replaced or shortened what was stored; only `beginAgain` can continue. */
  readonly isLost: boolean;
  /** This process has lost the environment, and must open it again to use it. */
  readonly isOver: boolean;
  /** Like `append` for a commit with all rows, which replaces everything stored before. */
  beginAgain(commit: Commit): void;
  /** Reading the log takes much longer than reading the snapshot. */
  readonly wantsFold: boolean;
  /**
   * Writes the present rows to the snapshot and drops older commits from the log. Commits may be appended meanwhile;
   * a second fold waits for the first.
   */
  fold(state: EnvironmentState): Promise<void>;
  /** Called with the last state before `close`. */
  finish(state: EnvironmentState): Promise<void>;
  /** Absent if no other process writes the log. */
  readonly shared?: SharedLog;
  /** Absent if the environment ends with the process. */
  readonly savePoints?: SavePointStore;
  /** Absent if the calls end with the process. */
  readonly journal?: StoredJournal | undefined;
  /** Waits for a running fold. Without `rest`, others open the environment as soon as they can. */
  close(rest?: Rest): Promise<void>;
  /** Deletes snapshot, log, save points and journal. `next`: the generation of a later environment of this name. */
  remove(next: number): Promise<void>;
}
