import type { ClockSettings } from '../state/clock.ts';
import { viewRule, type ActiveRule, type LoadedRuleView, type RuleCounter } from './active-rule.ts';
import type { Scenario } from './scenario.ts';
import type { RowChange, Env } from '../state/env.ts';
import { danglingReferences, anyTable } from '../state/schema.ts';

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

/** A row before a scenario changed it for the first time. */
export interface BeforeImage {
  readonly owner: string;
  readonly change: RowChange;
}

/** The rows that scenarios with `restore` put back, in the order of the changes. */
export class BeforeImages {
  #images: readonly BeforeImage[] = [];

  note(owner: string, changes: readonly RowChange[]): void {
    const known = new Set(this.#images.filter((image) => image.owner === owner).map(rowOf));
    const added = changes.map((change) => ({ owner, change })).filter((image) => !known.has(rowOf(image)));
    this.#images = [...this.#images, ...added];
  }

  /**
   * Removes the owner's images and returns the changes to undo. If another scenario changed the row later, that
   * scenario wins; its image gets the original row, which returns when it is unloaded.
   */
  release(owner: string): RowChange[] {
    const released = new Map<string, RowChange>();
    const kept: BeforeImage[] = [];
    for (const image of this.#images) {
      const row = rowOf(image);
      const earlier = released.get(row);
      if (image.owner === owner) released.set(row, image.change);
      else if (earlier && released.delete(row)) kept.push(withBefore(image, earlier));
      else kept.push(image);
    }
    this.#images = kept;
    return [...released.values()];
  }

  save(): readonly BeforeImage[] {
    return this.#images;
  }

  restore(images: readonly BeforeImage[]): void {
    this.#images = images;
  }
}

const rowOf = ({ change: { collection, id } }: BeforeImage) => `${collection} ${id}`;

const withBefore = (image: BeforeImage, { before, position }: RowChange): BeforeImage => ({
  ...image,
  change: { ...image.change, before, position },
});

/**
 * Restores rows, whatever happened to them since, at their old positions. New rows are removed with the rows that
 * depend on them. A restored row that refers to a missing row is removed.
 */
export function restoreRows(env: Env, changes: readonly RowChange[]): void {
  for (const { collection, id, before } of changes)
    if (!before && anyTable(env, collection).find(id)) env.remove(collection, id);
  for (const { collection, position, before } of changes)
    if (before) anyTable(env, collection).restoreRow(position, before as never);
  for (const { collection, id } of changes) {
    const row = anyTable(env, collection).find(id);
    if (row && danglingReferences(env, collection, row).length > 0) env.remove(collection, id);
  }
}

interface Savable<T> {
  save(): T;
  restore(saved: T): void;
}

/** Restores the saved state if `run` throws. */
export function allOrNothing<T>(part: Savable<T>, run: () => void): void {
  const before = part.save();
  try {
    run();
  } catch (thrown) {
    part.restore(before);
    throw thrown;
  }
}
