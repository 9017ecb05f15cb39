import type { ClockSettings } from '@understudy/core/state/clock';
import type { Collections, Change } from '@understudy/core/store/change-log';
import type { GeneratorMarks } from '@understudy/core/state/ids';
import type { ScenarioCopy } from '@understudy/core/scenarios/scenario-copy';
import type { StoredImage } from '@understudy/core/scenarios/stored-scenarios';

export const FORMAT = 'understudy-bundle';
/** Versions that this program reads are this one and all before it. */
export const VERSION = 1;

/** Limits of a file. Whoever reads one checks them before anything is made of it. */
export const LIMITS = {
  /** Bytes of the file, and of the JSON in it. */
  file: 32_000_000,
  text: 128_000_000,
  /** Characters that this program writes at most. */
  written: 48_000_000,
  calls: 50_000,
  commits: 50_000,
  /** In one collection, and in one commit. */
  rows: 500_000,
  scenarios: 1000,
  standIns: 200_000,
} as const;

/** The test for which a bundle was made. */
export interface BundledTest {
  test: string;
  file?: string | undefined;
  failure?: string | undefined;
}

export interface Bundle {
  format: typeof FORMAT;
  version: number;
  /** The version of Understudy that wrote the file. */
  understudy: string;
  node: string;
  /** When the file was made, by the clock of the machine. */
  made: string;
  test?: BundledTest;
  environment: BundledEnvironment;
  /** `position`: how many commits the environment had had. */
  start: { rows: Collections } & BundledSurroundings;
  commits: BundledCommit[];
  /** Clock, generators and scenarios, whenever they changed. The last entry has those of the end. */
  surroundings: BundledSurroundings[];
  scenarios: { copies: ScenarioCopy[]; states: ScenarioState[] };
  calls: BundledCall[];
  /** What stands in place of secrets. The same secret has the same one everywhere. */
  stand_ins: string[];
}

export interface BundledEnvironment {
  name: string;
  base_url: string;
  client_id: string;
  seed: number;
  /** How many environments had the name before. */
  generation: number;
  strict?: boolean;
  /** The clock with which it was made. */
  clock: ClockSettings;
}

export interface BundledCommit {
  /** On the clock of the environment. */
  time: number;
  generator: GeneratorMarks;
  /** The number of the call that made it; absent: the control API, or time, did. */
  call?: number;
  base?: Collections;
  changes: Change[];
}

export interface BundledSurroundings {
  position: number;
  generator: GeneratorMarks;
  clock: ClockSettings;
  counted: { since: number; calls: number };
  /** An index of `scenarios.states`. */
  scenarios: number;
}

/** The loaded scenarios with their counts. `copy`: an index of `scenarios.copies`. */
export interface ScenarioState {
  loaded: { id: string; copy: number; clock?: ClockSettings }[];
  count: number;
  counts: (readonly [name: string, rule: number, seen: number, hits: number])[];
  images: StoredImage[];
}

/** A call of the journal, and where it began and ended in the history. The journal's own module knows its other members. */
export interface BundledCall extends Record<string, unknown> {
  number: number;
  time: number;
  protocol: string;
  method: string;
  path: string;
  query: Record<string, string | string[]>;
  headers: Record<string, string | string[]>;
  requestSize: number;
  replySize: number;
  status?: number;
  body?: unknown;
  start?: { position: number; surroundings: number };
  end?: { position: number; surroundings: number };
}

/** Why a file is no bundle that can be used, in one sentence. */
export class BundleError extends Error {}
