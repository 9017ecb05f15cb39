import type { ClockSettings } from '../environment/clock.ts';
import { viewRule, type ActiveRule, type LoadedRuleView } from './active-rule.ts';
import type { BeforeImage } from './before-images.ts';
import type { RuleCounter } from './rule-usage.ts';
import type { Scenario } from './scenario.ts';

/** The result of loading a scenario. */
export type LoadedName = Pick<LoadedScenarioView, 'id' | 'name' | 'warnings'>;

export interface LoadedScenarioView {
  id: string;
  name: string;
  /** Absent if the scenario has none. */
  params?: Record<string, unknown>;
  /** One line each; absent if there are none. */
  warnings?: string[];
  rules: LoadedRuleView[];
}

export interface LoadedScenario {
  readonly id: string;
  readonly name: string;
  readonly scenario: Scenario;
  readonly rules: readonly ActiveRule[];
  /** The settings to restore at unloading. */
  readonly clock?: ClockSettings | undefined;
}

/** The loaded scenarios with their counters at one moment, immutable. */
export interface SavedScenarios {
  readonly loaded: readonly LoadedScenario[];
  readonly count: number;
  readonly images: readonly BeforeImage[];
}

/** `countedBy` returns the permanent counter of a rule. */
export const copyLoaded = (
  loaded: readonly LoadedScenario[],
  countedBy = (counter: RuleCounter) => counter,
): LoadedScenario[] =>
  loaded.map((each) => ({
    ...each,
    rules: each.rules.map((active) => ({ ...active, counter: countedBy(active.counter) })),
  }));

export const viewLoaded = ({
  id,
  name,
  scenario: { params = {}, warnings },
  rules,
}: LoadedScenario): LoadedScenarioView => ({
  id,
  name,
  ...(Object.keys(params).length > 0 && { params }),
  ...(warnings && { warnings }),
  rules: rules.map(viewRule),
});
