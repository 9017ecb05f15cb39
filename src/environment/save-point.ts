import { alreadyExists, ApiError, failedPrecondition } from '../errors.ts';
import type { SavedScenarios } from '../scenarios/rules.ts';
import { suggestAmong } from '../text/suggestion.ts';
import type { Deadlines } from './deadlines.ts';
import type { SavedStateAndClock } from './durable-state.ts';
import type { Tables } from './env.ts';
import type { Layers, FixtureRows } from './fixture/frozen-rows.ts';
import type { GeneratorMarks } from './ids.ts';
import type { CountedCalls } from './rate-window.ts';
import type { Collection } from './rows/schema.ts';

/** What a reset puts back. */
export const PARTS = ['state', 'requests', 'mail', 'webhooks', 'scenarios', 'clock'] as const;
export type Part = (typeof PARTS)[number];

/** The parts of a save point. */
export const SAVED: ReadonlySet<Part> = new Set<Part>(['state', 'mail', 'webhooks', 'scenarios', 'clock']);

/** Parts of the state that can be put back by themselves. */
export const ROWS_OF: { readonly [P in Part]?: readonly Collection[] } = {
  mail: ['mails'],
  webhooks: ['webhook_endpoints', 'webhook_deliveries'],
};

/** All that a reset puts back but the journal, at one moment. It does not change, and shares what nobody wrote since. */
export interface SavePoint extends SavedStateAndClock {
  readonly scenarios: SavedScenarios;
  readonly counted: CountedCalls;
}

/** All that an environment was at one moment; it does not change. */
export interface SavedState {
  readonly fixture: FixtureRows;
  readonly layers: Layers;
  readonly deadlines: Deadlines;
  readonly generator: GeneratorMarks;
}

/** The rows of then, to look at. */
export const tablesAt = ({ fixture: seed, layers }: SavedState): Tables => seed.tables(() => {}, layers);

export interface Snapshot {
  readonly name: string;
  /** When it was taken, on the environment's clock: milliseconds since 1970. */
  readonly time: number;
  readonly point: SavePoint;
}

const MOST = 100;

/** Save points of one environment by name, oldest first. They live as long as the process, whatever is reset. */
export class Snapshots {
  readonly #all = new Map<string, Snapshot>();

  add(snapshot: Snapshot): Snapshot {
    const { name } = snapshot;
    if (this.#all.has(name)) throw alreadyExists(`snapshot ${name} exists already`);
    if (this.#all.size >= MOST)
      throw failedPrecondition(
        `there are ${MOST} snapshots, the most that an environment keeps: delete some`,
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
