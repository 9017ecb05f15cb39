import { anyTable } from '../state/schema.ts';
import type { Change, Collections } from '../store/change-log.ts';
import type { RevivedScenarios } from '../scenarios/stored-scenarios.ts';
import type { RowChange } from '../state/env.ts';
import { FixtureRows } from '../state/fixture-rows.ts';
import type { State } from '../state/state.ts';
import type { CommitStep, Surroundings } from './moments.ts';
import type { SavePoint } from './save-points.ts';

/** What an environment was and did elsewhere, as far as its history goes back. */
export interface EarlierRun {
  readonly start: SavePoint;
  /** How many commits the environment had at the start. */
  readonly position: number;
  readonly commits: readonly EarlierCommit[];
  /** At least one: the last one has what was in force at the end. */
  readonly surroundings: readonly EarlierSurroundings[];
}

interface EarlierCommit extends Pick<CommitStep, 'time' | 'generator'> {
  /** All rows, if the commit has replaced them. */
  readonly base?: Collections | undefined;
  readonly changes: readonly Change[];
}

export interface EarlierSurroundings extends Omit<Surroundings, 'scenarios' | 'version'> {
  readonly scenarios: RevivedScenarios;
}

/** Makes the commits again. Afterwards, the state is that of the end. */
export function stepsOf(state: State, commits: readonly EarlierCommit[]): CommitStep[] {
  return commits.map(({ time, generator, base, changes }) => {
    const before = base && state.save();
    if (base) state.start(new FixtureRows(base));
    const written = state.apply(changes);
    state.generator.restore(generator);
    return { time, generator, written: before ?? written };
  });
}

/** `steps`: those of the same run, which say where rows are that scenarios put back. */
export function surroundingsOf(
  { start, surroundings }: EarlierRun,
  steps: readonly CommitStep[],
  state: State,
): Surroundings[] {
  const places = placesIn(steps);
  for (const { change } of start.scenarios.images) places.set(keyOf(change), change.position);
  return surroundings.map(({ scenarios, ...each }, index) => {
    const images = scenarios.images.map(({ owner, collection, id, before }) => {
      const known = anyTable(state.tables, collection).positionOf(id);
      const position = known ?? places.get(keyOf({ collection, id })) ?? 0;
      return { owner, change: { collection, id, position, before, after: undefined } };
    });
    return { ...each, scenarios: { ...scenarios, images }, version: `earlier ${index}` };
  });
}

type RowName = Pick<RowChange, 'collection' | 'id'>;

const keyOf = ({ collection, id }: RowName) => `${collection} ${id}`;

function placesIn(steps: readonly CommitStep[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const { written } of steps)
    if (Array.isArray(written))
      for (const change of written as readonly RowChange[]) places.set(keyOf(change), change.position);
  return places;
}
