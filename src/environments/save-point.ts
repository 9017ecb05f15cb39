import type { SavedScenarios } from '../scenarios/rules.ts';
import type { CountedCalls } from './rate-window.ts';
import type { Collection } from '../world/schema.ts';
import type { TimedPoint } from './timed-world.ts';

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
export interface SavePoint extends TimedPoint {
  readonly scenarios: SavedScenarios;
  readonly counted: CountedCalls;
}
