import { allOrNothing } from '../scenarios/loaded-scenario.ts';
import type { Collections, Commit } from '../store/change-log.ts';
import type { EnvironmentLog } from '../store/storage.ts';
import { endpointsToAdd, endpointsToRemove } from '../state/configured-endpoints.ts';
import { credentialsToAdd, credentialsToRemove, type Credentials } from '../state/credentials.ts';
import { commitBetween, replaceRows } from '../state/difference.ts';
import { replay } from './durable-log.ts';
import { FixtureRows } from '../state/fixture-rows.ts';
import { basicMarks } from './marks.ts';
import { NO_CALLS } from '../state/rate-window.ts';
import { placeImages } from './stored-save-point.ts';
import {
  COLLECTIONS_OF_PART,
  RESET_PARTS,
  SAVED_PARTS,
  tablesAt,
  type ResetPart,
  type SavePoint,
} from './save-point.ts';
import type { SavedParts, StartSettings, PartsOfLog } from './save-points-parts.ts';
import { SET_UP } from '../state/unit-of-work.ts';

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

  /** What a reset returns to, if it must be stored. */
  get ownStart(): SavePoint | undefined {
    return this.#hasOwnStart ? this.#start : undefined;
  }

  /** Everything that a reset restores, as plain data. */
  view() {
    const { state, clock, scenarios, rateWindow, ticker } = this.#parts;
    ticker.runDueIfKept(clock.now());
    return {
      collections: state.collections(),
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
  #replace(replace: () => void, undo = () => {}): void {
    const { state, clock, ticker, log } = this.#parts;
    const [before, time] = [state.save(), clock.settings()];
    replace();
    try {
      log.append(() => commitBetween(before, state.save(), this.#fixture));
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
