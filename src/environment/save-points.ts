import { allOrNothing } from '../scenarios/lint.ts';
import type { LoadedScenarios } from '../scenarios/rules.ts';
import type { Collections } from '../store/change-log.ts';
import type { EnvironmentLog } from '../store/storage.ts';
import type { Clock } from './clock.ts';
import { endpointsToAdd, endpointsToRemove, type ConfiguredEndpoints } from './configured-endpoints.ts';
import { credentialsToAdd, credentialsToRemove, type Credentials } from './credentials.ts';
import { commitBetween, replaceRows } from './difference.ts';
import { replay, type DurableLog, type Marks, type Origin } from './durable-log.ts';
import { FixtureRows } from './fixture/fixture-rows.ts';
import type { RateWindow } from './rate-window.ts';
import {
  COLLECTIONS_OF_PART,
  RESET_PARTS,
  SAVED_PARTS,
  tablesAt,
  type ResetPart,
  type SavePoint,
} from './save-point.ts';
import type { State } from './state.ts';
import type { Ticker } from './ticker.ts';
import { SET_UP } from './unit-of-work.ts';
import type { UnitsOfWork } from './units-of-work.ts';

/** The parts of an environment that a save point restores, and those that this takes. */
interface SavedParts {
  readonly state: State;
  readonly clock: Clock;
  readonly scenarios: LoadedScenarios;
  readonly rateWindow: RateWindow;
  readonly units: UnitsOfWork;
  readonly ticker: Ticker;
  readonly log: DurableLog;
}

interface StartSettings {
  readonly origin: Origin;
  readonly credentials: Credentials;
  readonly endpoints: ConfiguredEndpoints;
  /** Loads the scenarios of the start. */
  readonly loadScenarios: () => void;
  /** Called after the parts have been restored. */
  readonly onRestored: (parts: ReadonlySet<ResetPart>) => void;
  /** Makes the outgoing calls that the new rows have waiting. */
  readonly resumeCalls: () => void;
}

/** Saves and restores one environment: at any moment, at its start, and from the log of an earlier process. */
export class SavePoints {
  readonly #parts: SavedParts;
  readonly #settings: StartSettings;
  /** The rows of the start. */
  #fixture: FixtureRows;
  #start: SavePoint;

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

  /** Makes the present moment the start. */
  startHere(): void {
    this.#start = this.save();
  }

  /** Starts again with another fixture. If that fails, nothing has changed. */
  useFixture(fixture: FixtureRows): void {
    this.orNothing(() => {
      this.#startWith(fixture);
      this.#settings.loadScenarios();
    });
    this.startHere();
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
    this.startHere();
  }

  /** Restores the state of an earlier process; an empty log changes nothing. */
  replay(durable: EnvironmentLog): void {
    if (!durable.snapshot && durable.commits.length === 0) return;
    const { state, clock } = this.#parts;
    replay(durable, { state, clock, fixture: this.#fixture });
    state.apply(endpointsToRemove(this.#settings.endpoints, state.tables));
    this.#addConfigured();
    this.#settings.loadScenarios();
  }

  /** What the log stores beside rows. */
  marks(): Marks {
    const { state, clock } = this.#parts;
    const { origin } = this.#settings;
    const { fixture, seed, strict, temporary } = origin;
    return {
      generator: state.generator.marks(),
      clock: clock.settings(),
      origin: { fixture, seed, clock: origin.clock, strict, temporary },
    };
  }

  /** Everything that a reset restores, as plain data. */
  view() {
    const { state, clock, scenarios, rateWindow, ticker } = this.#parts;
    ticker.runDueIfKept(clock.now());
    return {
      collections: state.collections(),
      marks: this.marks(),
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
    allOrNothing(scenarios, () => {
      if (parts.has('scenarios') && !parts.has('state')) scenarios.clear();
      if (!parts.has('state')) this.#restoreCollections(point, parts);
      this.#replace(() => {
        if (parts.has('state')) state.restore(point.state);
        if (parts.has('clock')) clock.set(point.clock);
      });
    });
    if (parts.has('scenarios')) scenarios.restore(point.scenarios);
    else if (parts.has('state')) scenarios.keepChanges();
    if (parts.has('state')) rateWindow.restore(point.counted);
  }

  /** Restores the collections of these parts only. */
  #restoreCollections(point: SavePoint, parts: ReadonlySet<ResetPart>): void {
    const collections = [...parts].flatMap((part) => COLLECTIONS_OF_PART[part] ?? []);
    if (collections.length === 0) return;
    const { units, ticker, clock } = this.#parts;
    ticker.runDue();
    const then = tablesAt(point.state);
    units.run(SET_UP, clock.now(), (env) => collections.forEach((each) => replaceRows(env, then, each)));
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
  #replace(replace: () => void): void {
    const { state, clock, ticker, log } = this.#parts;
    const [before, time] = [state.save(), clock.settings()];
    replace();
    try {
      log.append(() => commitBetween(before, state.save(), this.#fixture));
    } catch (thrown) {
      state.restore(before);
      clock.set(time);
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
