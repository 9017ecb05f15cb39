import type { LoadedScenarios } from '../scenarios/rules.ts';
import type { Commit } from '../store/change-log.ts';
import type { EnvironmentLog } from '../store/storage.ts';
import type { Clock } from '../state/clock.ts';
import type { DurableLog, FirstWrite } from './durable-log.ts';
import type { Journal } from '../journal/journal.ts';
import { StoredScenarioReader, type InitialScenarios } from './scenario-loader.ts';
import { basicMarks, marksIn, type Marks, type Origin, type BasicMarks } from './marks.ts';
import type { RateWindow, CountedCalls } from '../state/rate-window.ts';
import type { EnvironmentServices } from './environment.ts';
import { Snapshots } from './snapshots.ts';
import type { State } from '../state/state.ts';
import { readSavePoint, storedSavePoint, type PartsOfLog, type SavePoints } from './save-points.ts';
import { countsOf, storedForm, storedImages, type StoredScenarios } from '../scenarios/stored-scenarios.ts';
import { NotKept } from '../store/not-kept.ts';

/** An environment. */
interface StoredPartsHost {
  readonly clock: Clock;
  readonly scenarios: LoadedScenarios;
  readonly rateWindow: RateWindow;
  readonly savePoints: SavePoints;
  readonly log: DurableLog;
  readonly journal: Journal;
}

interface OwnParts {
  readonly state: State;
  readonly initial: InitialScenarios;
  readonly origin: Origin & { name: string };
}

/** What one environment stores beside rows, and how a later process gets it back. */
export class StoredParts {
  readonly marks: LogMarks;
  readonly snapshots: Snapshots;
  readonly #host: StoredPartsHost;
  readonly #initial: InitialScenarios;
  readonly #scenarios: StoredScenarioReader;

  constructor(
    host: StoredPartsHost,
    { state, initial, origin }: OwnParts,
    { readScenario: read, warn }: Pick<EnvironmentServices, 'readScenario' | 'warn'>,
  ) {
    const { clock, scenarios, rateWindow, log } = host;
    this.#host = host;
    this.#initial = initial;
    this.#scenarios = new StoredScenarioReader({ environment: origin.name, read, warn });
    const snapshots = (this.snapshots = new Snapshots({
      log,
      write: storedSavePoint,
      read: (stored) => readSavePoint(stored, (each) => this.#scenarios.read(each)),
      kept: () => this.kept(),
    }));
    const basic = () => basicMarks(state, clock, origin);
    const fingerprints = () => initial.fingerprints;
    this.marks = new LogMarks({ basic, state, scenarios, rateWindow, snapshots, initial: fingerprints, log });
  }

  /** Replays the log, then stores what the settings of this process change. */
  async attach(durable: EnvironmentLog, first: FirstWrite): Promise<void> {
    const { savePoints, log, journal } = this.#host;
    if (durable.journal) await journal.keepIn(durable.journal);
    const stored = marksIn(durable);
    if (!stored) return this.#begin(durable, first);
    const added = savePoints.replay(durable, await this.#read(stored, durable));
    await log.attach(durable, first);
    const isSame = String(stored.scenarios?.initial) === String(this.#initial.fingerprints);
    if (!isSame || !isEmpty(added)) this.marks.add(added);
    await this.snapshots.removeOthers();
  }

  kept(): Promise<void> | undefined {
    this.marks.store();
    return this.#host.log.kept();
  }

  /** Stores the counts that wait for a commit, and the calls that wait. */
  close(): Promise<void> {
    this.marks.flush();
    this.marks.stop();
    return this.#host.journal.finish();
  }

  stop(): void {
    this.marks.stop();
    this.#host.journal.stop();
  }

  async #begin(durable: EnvironmentLog, first: FirstWrite): Promise<void> {
    const { savePoints, log } = this.#host;
    await log.attach(durable, first);
    const start = savePoints.ownStart;
    if (!start) return;
    await this.snapshots.addStart(start);
    await this.kept();
  }

  async #read(
    { scenarios, counted, snapshots, hasStart }: Marks,
    durable: EnvironmentLog,
  ): Promise<PartsOfLog> {
    this.#initial.known(scenarios?.initial);
    this.snapshots.restore(snapshots, hasStart);
    return {
      scenarios: scenarios && (await this.#scenarios.read(scenarios)),
      counted,
      start: await this.snapshots.startIn(durable.savePoints),
    };
  }
}

const isEmpty = ({ base, changes }: Omit<Commit, 'marks'>) => !base && changes.length === 0;

/** Milliseconds until counts are stored that decide nothing, unless a commit takes them along. */
const DELAY = 1000;

interface LogMarksParts {
  readonly basic: () => BasicMarks;
  readonly state: State;
  readonly scenarios: LoadedScenarios;
  readonly rateWindow: RateWindow;
  readonly snapshots: Snapshots;
  /** The fingerprints of the scenarios of the start. */
  readonly initial: () => readonly string[];
  readonly log: DurableLog;
}

/**
 * What the log stores beside rows. Counts and loaded scenarios travel with the next commit. If a call commits nothing,
 * counts that decide what later calls get are stored before its answer.
 */
class LogMarks {
  readonly #parts: LogMarksParts;
  #storedCalls: CountedCalls | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The last write has failed; the timer tries again. */
  #isRefused = false;

  constructor(parts: LogMarksParts) {
    this.#parts = parts;
  }

  whole(): Marks {
    const { basic, state, scenarios, rateWindow, snapshots, initial } = this.#parts;
    return {
      ...basic(),
      scenarios: { ...storedForm(scenarios.save(), state.tables), initial: initial() },
      counted: rateWindow.save(),
      ...snapshots.marks(),
    };
  }

  /** Only what has changed since the last write. */
  changes(): Marks {
    const { basic, rateWindow, snapshots } = this.#parts;
    return {
      ...basic(),
      ...this.#scenarioChanges(),
      ...(this.#hasNewCalls && { counted: rateWindow.save() }),
      ...(snapshots.hasNews && snapshots.marks()),
    };
  }

  /** The log has the present marks. */
  written(): void {
    const { scenarios, rateWindow, snapshots } = this.#parts;
    scenarios.unstored.clear();
    snapshots.hasNews = false;
    this.#storedCalls = rateWindow.save();
    this.#isRefused = false;
    this.#endTimer();
  }

  /** Call this before an answer. */
  store(): void {
    const { log, scenarios, snapshots } = this.#parts;
    if (!log.isKept || log.isOver || this.#isRefused) return;
    if (scenarios.unstored.decides || this.#hasNewCalls || snapshots.hasNews) this.#append();
    else if (!scenarios.unstored.isEmpty) this.#storeLater();
  }

  /** Stores all marks, and changes that this process has made at its start. */
  add(changes: Omit<Commit, 'marks'>): void {
    this.#parts.scenarios.unstored.noteAll();
    this.#append(changes);
  }

  /** Stores the counts that wait for a commit. */
  flush(): void {
    this.#endTimer();
    const { log, scenarios } = this.#parts;
    if (log.isKept && !log.isOver && !scenarios.unstored.isEmpty) this.#append();
  }

  /** Stores nothing more by itself. */
  stop(): void {
    this.#endTimer();
  }

  get #hasNewCalls(): boolean {
    return this.#parts.rateWindow.save() !== this.#storedCalls;
  }

  #scenarioChanges(): { scenarios?: StoredScenarios } {
    const { state, scenarios, initial } = this.#parts;
    const { unstored } = scenarios;
    if (unstored.isEmpty) return {};
    if (unstored.isWhole)
      return { scenarios: { ...storedForm(scenarios.save(), state.tables), initial: initial() } };
    return {
      scenarios: {
        counts: Array.from(unstored.counted, countsOf),
        ...(unstored.hasImages && { images: storedImages(scenarios.save().images, state.tables) }),
      },
    };
  }

  /** A count is not worth refusing a call: on a full disk it stays in memory. */
  #append(commit: Omit<Commit, 'marks'> = { changes: [] }): void {
    try {
      this.#parts.log.append(() => commit);
    } catch (thrown) {
      if (!(thrown instanceof NotKept)) throw thrown;
      this.#isRefused = true;
      this.#storeLater();
    }
  }

  #storeLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#isRefused = false;
      this.flush();
    }, DELAY).unref();
  }

  #endTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
