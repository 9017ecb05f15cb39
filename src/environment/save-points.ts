import { allOrNothing, type BeforeImage, type SavedScenarios } from '../scenarios/loaded-scenario.ts';
import type { LoadedScenarios } from '../scenarios/rules.ts';
import { storedForm, type RevivedScenarios, type StoredImage } from '../scenarios/stored-scenarios.ts';
import { anyTable } from '../state/schema.ts';
import type { Clock, ClockSettings } from '../state/clock.ts';
import {
  endpointsToAdd,
  endpointsToRemove,
  type ConfiguredEndpoints,
} from '../state/configured-endpoints.ts';
import { credentialsToAdd, credentialsToRemove, type Credentials } from '../state/credentials.ts';
import { commitBetween, replaceRows } from '../state/difference.ts';
import { FixtureRows } from '../state/fixture-rows.ts';
import { Generator } from '../state/ids.ts';
import { NO_CALLS, type CountedCalls, type RateWindow } from '../state/rate-window.ts';
import type { Collection } from '../state/env.ts';
import { State, tablesAt, type SavedState } from '../state/state.ts';
import { SET_UP } from '../state/units-of-work.ts';
import type { UnitsOfWork } from '../state/units-of-work.ts';
import type { Collections, Commit, Row } from '../store/change-log.ts';
import type { EnvironmentLog, EnvironmentState } from '../store/storage.ts';
import { replay, type DurableLog } from './durable-log.ts';
import { stepsOf, surroundingsOf, type EarlierRun } from './earlier-run.ts';
import { basicMarks, type Marks, type Origin } from './marks.ts';
import type { CommitStep, Moments } from './moments.ts';
import type { InitialScenarios } from './scenario-loader.ts';
import type { Ticker } from './ticker.ts';

/** The parts that a reset can restore. */
export const RESET_PARTS = ['state', 'requests', 'mail', 'webhooks', 'scenarios', 'clock'] as const;
export type ResetPart = (typeof RESET_PARTS)[number];

const SAVED_PARTS: ReadonlySet<ResetPart> = new Set<ResetPart>([
  'state',
  'mail',
  'webhooks',
  'scenarios',
  'clock',
]);

/** Parts that are collections of the state and can be restored alone. */
const COLLECTIONS_OF_PART: { readonly [P in ResetPart]?: readonly Collection[] } = {
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

/** The parts of an environment that a save point restores, and those that this takes. */
interface SavedParts {
  readonly state: State;
  readonly clock: Clock;
  readonly scenarios: LoadedScenarios;
  readonly rateWindow: RateWindow;
  readonly units: UnitsOfWork;
  readonly ticker: Ticker;
  readonly log: DurableLog;
  readonly moments: Moments;
}

interface StartSettings {
  readonly origin: Origin;
  readonly credentials: Credentials;
  readonly endpoints: ConfiguredEndpoints;
  readonly initial: InitialScenarios;
  /** Called after the parts have been restored. */
  readonly onRestored: (parts: ReadonlySet<ResetPart>) => void;
  /** Makes the outgoing calls that the new rows have waiting. */
  readonly resumeCalls: () => void;
}

/** What the log of an earlier process has beside rows. */
export interface PartsOfLog {
  /** Undefined: a version of Understudy wrote the log that stored none. */
  scenarios: RevivedScenarios | undefined;
  counted: CountedCalls | undefined;
  /** Undefined: the fixture. */
  start: SavePoint | undefined;
}

/** Saves and restores one environment: at any moment, at its start, and from the log of an earlier process. */
export class SavePoints {
  readonly #parts: SavedParts;
  readonly #settings: StartSettings;
  /** The rows of the start. */
  #fixture: FixtureRows;
  #start: SavePoint;
  #hasOwnStart = false;

  constructor(parts: SavedParts, settings: StartSettings, fixture: FixtureRows) {
    this.#parts = parts;
    this.#settings = settings;
    this.#fixture = fixture;
    this.#addConfigured();
    this.#start = this.save();
  }

  /** The cost does not depend on the number of rows. */
  save(): SavePoint {
    const { state, clock, scenarios, rateWindow } = this.#parts;
    return {
      state: state.save(),
      clock: clock.settings(),
      scenarios: scenarios.save(),
      counted: rateWindow.save(),
    };
  }

  /** Can be repeated. The journal continues. */
  restore(point: SavePoint): void {
    this.#restoreParts(point, SAVED_PARTS);
    this.#announce(SAVED_PARTS);
  }

  /** Returns to the start, or restores the given parts of it. The cost does not depend on the number of rows. */
  reset(parts: ReadonlySet<ResetPart> = new Set(RESET_PARTS)): void {
    this.#restoreParts(this.#start, parts);
    this.#announce(parts);
  }

  /**
   * Makes the present moment the start. `own`: a later process cannot derive it from its fixture and settings, so it is
   * stored.
   */
  startHere(start: 'derived' | 'own'): void {
    this.#start = this.save();
    this.#hasOwnStart = start === 'own';
  }

  /** Starts again with another fixture. If that fails, nothing has changed. */
  useFixture(fixture: FixtureRows): void {
    this.orNothing(() => {
      this.#startWith(fixture);
      this.#settings.initial.load();
    });
    this.startHere('derived');
    this.#announce(new Set(RESET_PARTS));
  }

  /** Replaces all rows. A reset still returns to the start. Ids that were given out are never given out again. */
  replaceRows(rows: Collections): void {
    const { state, scenarios } = this.#parts;
    this.#replace(() => {
      const marks = state.generator.marks();
      state.start(new FixtureRows(rows));
      state.generator.restore(marks);
      this.#addConfigured();
    });
    scenarios.keepChanges();
    this.#settings.resumeCalls();
  }

  /** Starts with the state of another environment, whose credentials do not work here. */
  continueFrom(point: SavePoint, other: Credentials): void {
    const { state, clock, scenarios, rateWindow } = this.#parts;
    state.restore(point.state);
    clock.set(point.clock);
    state.apply(credentialsToRemove(other, state.tables));
    this.#addConfigured();
    scenarios.restore(point.scenarios);
    rateWindow.restore(point.counted);
    this.startHere('own');
  }

  /** Becomes what another environment was at the end of its run, with its history. A reset returns to the start of the run. */
  continueRun(run: EarlierRun): readonly CommitStep[] {
    const { state, clock, scenarios, rateWindow, moments } = this.#parts;
    state.restore(run.start.state);
    const steps = stepsOf(state, run.commits);
    const surroundings = surroundingsOf(run, steps, state);
    const end = surroundings.at(-1)!;
    state.generator.restore(end.generator);
    clock.set(end.clock);
    scenarios.restore(end.scenarios);
    rateWindow.restore(end.counted);
    this.#start = run.start;
    this.#hasOwnStart = true;
    moments.restore({ position: run.position, steps, surroundings });
    return steps;
  }

  /** Restores the state of an earlier process. Returns what the settings of this process have changed in it. */
  replay(
    durable: EnvironmentLog,
    { scenarios: stored, counted = NO_CALLS, start }: PartsOfLog,
  ): Omit<Commit, 'marks'> {
    const { state, clock, scenarios, rateWindow } = this.#parts;
    replay(durable, { state, clock, fixture: this.#fixture });
    if (stored) scenarios.restore({ ...stored, images: placeImages(state, stored.images) });
    rateWindow.restore(counted);
    this.#start = start ?? this.#start;
    const before = state.save();
    state.apply(endpointsToRemove(this.#settings.endpoints, state.tables));
    this.#addConfigured();
    this.#settings.initial.continue();
    return commitBetween(before, state.save(), this.#fixture);
  }

  /** Those that another process has loaded. */
  useScenarios({ images, ...loaded }: RevivedScenarios): void {
    const { state, scenarios } = this.#parts;
    scenarios.restore({ ...loaded, images: placeImages(state, images) });
    scenarios.unstored.clear();
  }

  /** The rows of the start. */
  get fixture(): FixtureRows {
    return this.#fixture;
  }

  /** What a reset returns to, if it must be stored. */
  get ownStart(): SavePoint | undefined {
    return this.#hasOwnStart ? this.#start : undefined;
  }

  /** Everything that a reset restores, as plain data. */
  view() {
    const { state, clock, scenarios, rateWindow, ticker } = this.#parts;
    ticker.runDueIfKept(clock.now());
    return {
      tables: tablesAt(state.save()),
      marks: basicMarks(state, clock, this.#settings.origin),
      scenarios: scenarios.list(),
      counted: rateWindow.save(),
    };
  }

  /** If `run` throws, everything is as before. */
  orNothing<T>(run: () => T): T {
    const before = this.save();
    try {
      return run();
    } catch (thrown) {
      this.#restoreParts(before, SAVED_PARTS);
      throw thrown;
    }
  }

  #announce(parts: ReadonlySet<ResetPart>): void {
    this.#settings.onRestored(parts);
    this.#settings.resumeCalls();
  }

  #restoreParts(point: SavePoint, parts: ReadonlySet<ResetPart>): void {
    const { state, clock, scenarios, rateWindow } = this.#parts;
    const counted = rateWindow.save();
    allOrNothing(scenarios, () => {
      if (parts.has('scenarios') && !parts.has('state')) scenarios.clear();
      if (!parts.has('state')) this.#restoreCollections(point, parts);
      this.#replace(
        () => {
          if (parts.has('state')) state.restore(point.state);
          if (parts.has('clock')) clock.set(point.clock);
          if (parts.has('scenarios')) scenarios.restore(point.scenarios);
          else if (parts.has('state')) scenarios.keepChanges();
          if (parts.has('state')) rateWindow.restore(point.counted);
        },
        () => rateWindow.restore(counted),
        [...parts],
      );
    });
  }

  /** Restores the collections of these parts only. */
  #restoreCollections(point: SavePoint, parts: ReadonlySet<ResetPart>): void {
    const collections = [...parts].flatMap((part) => COLLECTIONS_OF_PART[part] ?? []);
    if (collections.length === 0) return;
    const { units, ticker, clock } = this.#parts;
    ticker.runDue();
    const then = tablesAt(point.state);
    units.run(SET_UP, clock.moment(), (env) => collections.forEach((each) => replaceRows(env, then, each)));
  }

  #startWith(fixture: FixtureRows): void {
    const { state, clock } = this.#parts;
    const before = this.#fixture;
    this.#fixture = fixture;
    try {
      this.#replace(() => {
        state.start(fixture);
        clock.set(this.#settings.origin.clock);
        this.#addConfigured();
      });
    } catch (thrown) {
      this.#fixture = before;
      throw thrown;
    }
  }

  /** Replaces the state. If the log cannot be written, the old state comes back. */
  #replace(replace: () => void, undo = () => {}, reset?: readonly ResetPart[]): void {
    const { state, clock, ticker, log, moments } = this.#parts;
    const [before, time] = [state.save(), clock.settings()];
    replace();
    try {
      // Other processes learn from it what else begins anew.
      const told = log.shared && reset && { reset };
      log.append(() => ({ ...commitBetween(before, state.save(), this.#fixture), ...told }));
      moments.noteReplacement(before);
    } catch (thrown) {
      state.restore(before);
      clock.set(time);
      undo();
      throw thrown;
    } finally {
      ticker.rearm();
    }
  }

  /** Adds the environment's own client and the webhook endpoints of the command line. */
  #addConfigured(): void {
    const { credentials, endpoints } = this.#settings;
    const { state } = this.#parts;
    state.apply([...credentialsToAdd(credentials, state.tables), ...endpointsToAdd(endpoints, state.tables)]);
  }
}

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
  const state = new State(new Generator(''), new FixtureRows(collections), () => {});
  state.generator.restore(generator);
  const { images, ...revived } = await readScenarios(scenarios);
  const placed = placeImages(state, images);
  return { state: state.save(), clock, scenarios: { ...revived, images: placed }, counted };
}

/**
 * The rows that scenarios put back. A row that is missing now gets a position of its own again, between the rows that it
 * was between.
 */
function placeImages(state: State, images: readonly StoredImage[]): BeforeImage[] {
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
