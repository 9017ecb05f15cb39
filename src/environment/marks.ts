import { mergeStored, type StoredScenarios } from '../scenarios/stored-scenarios.ts';
import type { EnvironmentLog } from '../store/storage.ts';
import type { Clock, ClockSettings } from '../state/clock.ts';
import type { GeneratorMarks } from '../state/ids.ts';
import type { CountedCalls } from '../state/rate-window.ts';
import type { State } from '../state/state.ts';

/** What an environment started from: a reset returns to it, in a later process as well. */
export interface Origin {
  /** A name or file; undefined: the fixture of `default`. */
  fixture?: string | undefined;
  seed: number;
  /** How many environments had the name before; undefined: none. */
  generation?: number | undefined;
  clock: ClockSettings;
  /** Whether fields that the contract does not name are refused; undefined: as `--strict` says. */
  strict?: boolean | undefined;
  /** Stored only so that other processes find it; dropped when nobody uses it. */
  temporary?: boolean | undefined;
}

/** The test for which an environment is kept. */
export interface KeptTest {
  test: string;
  outcome: 'failed' | 'passed';
  /** When it was kept, in milliseconds since 1970 by the machine's clock; no two environments of a process have the same. */
  at: number;
}

export interface BasicMarks {
  generator: GeneratorMarks;
  clock: ClockSettings;
  origin: Origin;
  keptFor?: KeptTest | undefined;
}

/** What each commit has. */
export const basicMarks = (state: State, clock: Clock, origin: Origin): BasicMarks => ({
  generator: state.generator.marks(),
  clock: clock.settings(),
  origin: {
    fixture: origin.fixture,
    seed: origin.seed,
    generation: origin.generation,
    clock: origin.clock,
    strict: origin.strict,
    temporary: origin.temporary,
  },
});

/** The store has the content of the snapshot under `id`. */
export interface StoredSnapshot {
  name: string;
  /** Milliseconds since 1970 on the environment's clock. */
  time: number;
  id: number;
}

/** In a commit, what is absent has not changed. */
export interface Marks extends BasicMarks {
  scenarios?: StoredScenarios;
  /** The calls in the window of the rate limit. */
  counted?: CountedCalls;
  snapshots?: readonly StoredSnapshot[];
  /** Whether a reset returns to a save point of its own. */
  hasStart?: boolean;
}

/** All marks after the commits; undefined if nothing is stored. */
export function marksIn({ snapshot, commits }: EnvironmentLog): Marks | undefined {
  const all = [...(snapshot ? [snapshot] : []), ...commits].map(({ marks }) => marks as Marks);
  const [last] = all.slice(-1);
  if (!last) return undefined;
  const latest = <K extends keyof Marks>(name: K) => all.findLast((each) => each[name] !== undefined)?.[name];
  const [counted, snapshots, hasStart] = [latest('counted'), latest('snapshots'), latest('hasStart')];
  const isNew = all.some(({ scenarios }) => scenarios !== undefined);
  return {
    ...last,
    ...(isNew && { scenarios: mergeStored(all.map(({ scenarios }) => scenarios)) }),
    ...(counted && { counted }),
    ...(snapshots && { snapshots }),
    ...(hasStart !== undefined && { hasStart }),
  };
}
