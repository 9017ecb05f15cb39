import type { Collections, Commit, StoreError } from './change-log.ts';
import type { Snapshot } from './snapshot.ts';

/** How one of several processes uses a database that they share. */
export interface DatabaseSettings {
  warn: (message: string) => void;
  /** Milliseconds without a heartbeat after which another process takes over. */
  lease: number;
  /** Hashes of the settings that all processes must share, by name. */
  shared: Readonly<Record<string, string>>;
  /** Where other processes reach this one; undefined: nowhere. */
  address?: string | undefined;
  /** Whether the calls of the environments are stored too. */
  keepsJournal?: boolean | undefined;
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
  /** The other processes that use the store; absent if there can be none. */
  readonly peers?: Peers | undefined;
  /** Absent if every stored environment is open. */
  readonly resting?: RestingEnvironments | undefined;
  /** How many environments of this name were removed, or more. */
  generation(name: string): Promise<number>;
  /** Why nothing can be read or written now. */
  refusal(): StoreError | undefined;
  close(): Promise<void>;
}

/** The other processes that use the same store. */
export interface Peers {
  /** Known to all of them and to nobody else. */
  readonly secret: string;
  /** The owner of a stored environment; undefined: none of this name is stored. */
  locate(name: string): Promise<Owner | undefined>;
  /** Where the others are reached. */
  addresses(): Promise<readonly string[]>;
  /** All of them and this process. */
  replicas(): Promise<ReplicaList>;
  /** Notes that an environment of this process is kept for a test, later than all others. Throws StoreError. */
  keep(name: string): Promise<void>;
  /** Those that any process has kept before the latest `limit`. */
  keptBefore(limit: number): Promise<string[]>;
  /** In order of name. */
  environmentsOf(owner: EnvironmentOwner, page: NamePage): Promise<OwnedEnvironment[]>;
}

/** One of the processes that use the same store. */
export interface Replica {
  id: string;
  /** Where others reach it. */
  address: string | undefined;
  /** Whether it is this process. */
  self: boolean;
  alive: boolean;
  started: Date;
  leaseEnd: Date;
  /** The number of environments that it owns. */
  environments: number;
}

export interface ReplicaList {
  replicas: Replica[];
  /** The number of stored environments. */
  environments: number;
  /** The number of those that no living process owns, because they rest or their owner has ended. */
  unowned: number;
}

/** The id of a process; undefined: no living process. */
export type EnvironmentOwner = string | undefined;

export interface NamePage {
  /** Only later names. */
  after: string;
  limit: number;
}

export interface OwnedEnvironment {
  name: string;
  epoch: number;
  /** The number of stored commits. */
  position: number;
  /** The number of commits that are not stored yet; undefined: another process owns the environment. */
  lag: number | undefined;
}

export interface Owner {
  /** No other process owns the environment. */
  isFree: boolean;
  /** Undefined: it cannot be reached. */
  address: string | undefined;
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
  /** Absent if the environment ends with the process. */
  readonly savePoints?: SavePointStore;
  /** Absent if the calls end with the process. */
  readonly journal?: StoredJournal | undefined;
  /** Waits for a running fold. Without `rest`, others open the environment as soon as they can. */
  close(rest?: Rest): Promise<void>;
  /** Deletes snapshot, log, save points and journal. `next`: the generation of a later environment of this name. */
  remove(next: number): Promise<void>;
}
