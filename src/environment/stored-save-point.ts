import { storedForm, type RevivedScenarios } from '../scenarios/stored-scenarios.ts';
import type { EnvironmentState } from '../store/storage.ts';
import { FixtureRows } from './fixture/fixture-rows.ts';
import type { Marks } from './marks.ts';
import { NO_CALLS } from './rate-window.ts';
import { placeImages } from './removed-rows.ts';
import { tablesAt, type SavePoint } from './save-point.ts';
import { State } from './state.ts';

type SavedMarks = Omit<Marks, 'origin'>;

/** The save point as plain data. The cost grows with the number of rows. */
export function storedSavePoint({ state, clock, scenarios, counted }: SavePoint): EnvironmentState {
  const marks: SavedMarks = {
    generator: state.generator,
    clock,
    scenarios: storedForm(scenarios, tablesAt(state)),
    counted,
  };
  return { marks, collections: state.fixture.collections(state.layers) };
}

export async function readSavePoint(
  { marks, collections }: EnvironmentState,
  readScenarios: (stored: Marks['scenarios']) => Promise<RevivedScenarios>,
): Promise<SavePoint> {
  const { generator, clock, scenarios, counted = NO_CALLS } = marks as SavedMarks;
  const state = new State('', new FixtureRows(collections), () => {});
  state.generator.restore(generator);
  const { images, ...revived } = await readScenarios(scenarios);
  const placed = placeImages(state, images);
  return { state: state.save(), clock, scenarios: { ...revived, images: placed }, counted };
}
