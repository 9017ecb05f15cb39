import { storedForm, type RevivedScenarios, type StoredImage } from '../scenarios/stored-scenarios.ts';
import type { EnvironmentState } from '../store/storage.ts';
import { FixtureRows } from '../state/fixture-rows.ts';
import type { Marks } from './marks.ts';
import { NO_CALLS } from '../state/rate-window.ts';
import { tablesAt, type SavePoint } from './save-point.ts';
import { State } from '../state/state.ts';
import type { BeforeImage } from '../scenarios/loaded-scenario.ts';
import type { Row } from '../store/change-log.ts';
import { anyTable } from '../state/cascade.ts';

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

/**
 * The rows that scenarios put back. A row that is missing now gets a position of its own again, between the rows that it
 * was between.
 */
export function placeImages(state: State, images: readonly StoredImage[]): BeforeImage[] {
  const missing = images.filter(({ collection, id, before }) => before && !rowOf(state, collection, id));
  if (missing.length > 0) reserve(state, missing);
  const [tables, removed] = [state.tables, new Set(missing.map(keyOf))];
  const placed = images.map(({ owner, collection, id, before }): BeforeImage => {
    const position = anyTable(tables, collection).positionOf(id) ?? 0;
    return { owner, change: { collection, id, position, before, after: undefined } };
  });
  const gone = [...removed].map((key) => JSON.parse(key) as [StoredImage['collection'], string]);
  state.apply(gone.map(([collection, id]) => ({ collection, id, row: null })));
  return placed;
}

const keyOf = ({ collection, id }: StoredImage) => JSON.stringify([collection, id]);

const rowOf = (state: State, collection: StoredImage['collection'], id: string) =>
  anyTable(state.tables, collection).find(id);

/** Puts the missing rows back. Those with the higher index come first, so that the lower ones stay valid. */
function reserve(state: State, missing: readonly StoredImage[]): void {
  const rows: Record<string, Row[]> = state.collections();
  const once = [...new Map(missing.map((image) => [keyOf(image), image])).values()];
  const order = once.map((image, place) => ({ image, place }));
  for (const { image } of order.toSorted((a, b) => b.image.index - a.image.index || b.place - a.place))
    rows[image.collection]!.splice(image.index, 0, image.before as Row);
  const generator = state.generator.marks();
  state.start(new FixtureRows(rows));
  state.generator.restore(generator);
}
