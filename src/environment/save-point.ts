import { alreadyExists, ApiError, failedPrecondition } from '../errors.ts';
import type { SavedScenarios } from '../scenarios/rules.ts';
import { suggestAmong } from '../text/suggestion.ts';
import type { Deadlines } from './deadlines.ts';
import type { SavedStateAndClock } from './durable-state.ts';
import type { Tables } from './env.ts';
import type { Layers, FixtureRows } from './fixture/fixture-rows.ts';
import type { GeneratorMarks } from './ids.ts';
import type { CountedCalls } from './rate-window.ts';
import type { Collection } from './rows/schema.ts';

/** The parts that a reset can restore. */
export const RESET_PARTS = ['state', 'requests', 'mail', 'webhooks', 'scenarios', 'clock'] as const;
export type ResetPart = (typeof RESET_PARTS)[number];

export const SAVED_PARTS: ReadonlySet<ResetPart> = new Set<ResetPart>([
  'state',
  'mail',
  'webhooks',
  'scenarios',
  'clock',
]);

/** Parts that are collections of the state and can be restored alone. */
export const COLLECTIONS_OF_PART: { readonly [P in ResetPart]?: readonly Collection[] } = {
  mail: ['mails'],
  webhooks: ['webhook_endpoints', 'webhook_deliveries'],
};

/** Everything that a reset restores except the journal, immutable. Unchanged rows are shared with the environment. */
export interface SavePoint extends SavedStateAndClock {
  readonly scenarios: SavedScenarios;
  readonly counted: CountedCalls;
}

/** The state at one moment, immutable. */
export interface SavedState {
  readonly fixture: FixtureRows;
  readonly layers: Layers;
  readonly deadlines: Deadlines;
  readonly generator: GeneratorMarks;
}

export const tablesAt = ({ fixture, layers }: SavedState): Tables => fixture.tables(() => {}, layers);

export interface Snapshot {
  readonly name: string;
  /** Milliseconds since 1970 on the environment's clock. */
  readonly time: number;
  readonly point: SavePoint;
}

const MAX_SNAPSHOTS = 100;

/** Save points of one environment by name, oldest first. A reset does not remove them; they end with the process. */
export class Snapshots {
  readonly #all = new Map<string, Snapshot>();

  add(snapshot: Snapshot): Snapshot {
    const { name } = snapshot;
    if (this.#all.has(name)) throw alreadyExists(`snapshot ${name} exists already`);
    if (this.#all.size >= MAX_SNAPSHOTS)
      throw failedPrecondition(
        `there are ${MAX_SNAPSHOTS} snapshots, the most that an environment keeps: delete some`,
      );
    this.#all.set(name, snapshot);
    return snapshot;
  }

  list(): Snapshot[] {
    return [...this.#all.values()];
  }

  get(name: string): Snapshot {
    const snapshot = this.#all.get(name);
    if (snapshot) return snapshot;
    const hint = suggestAmong(name, [...this.#all.keys()]);
    throw new ApiError('not_found', `snapshot ${name} not found${hint}`);
  }

  remove(name: string): void {
    this.#all.delete(this.get(name).name);
  }
}
