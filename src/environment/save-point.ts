import type { SavedScenarios } from '../scenarios/loaded-scenario.ts';
import type { Deadlines } from '../state/deadlines.ts';
import type { ClockSettings } from '../state/clock.ts';
import type { Tables } from '../state/env.ts';
import type { Layers, FixtureRows } from '../state/fixture-rows.ts';
import type { GeneratorMarks } from '../state/ids.ts';
import type { CountedCalls } from '../state/rate-window.ts';
import type { Collection } from '../state/schema.ts';

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
export interface SavePoint {
  readonly state: SavedState;
  readonly clock: ClockSettings;
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
