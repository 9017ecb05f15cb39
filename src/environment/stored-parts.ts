import type { Commit } from '../store/change-log.ts';
import type { Entry } from '../journal/entry.ts';
import type { EnvironmentLog } from '../store/storage.ts';
import type { FirstWrite } from './durable-log.ts';
import { readStoredScenarios, type InitialScenarios } from './scenario-loader.ts';
import { basicMarks, marksIn, type BasicMarks, type Marks, type Origin } from './marks.ts';
import type { CountedCalls } from '../state/rate-window.ts';
import type { Environment, EnvironmentServices } from './environment.ts';
import { Snapshots } from './snapshots.ts';
import type { State } from '../state/state.ts';
import { readSavePoint, storedSavePoint, type PartsOfLog } from './save-points.ts';
import {
  countsOf,
  storedForm,
  storedImages,
  type RevivedScenarios,
  type StoredScenarios,
} from '../scenarios/stored-scenarios.ts';
import { NotKept } from '../store/not-kept.ts';

interface OwnParts {
  readonly state: State;
  readonly initial: InitialScenarios;
  readonly origin: Origin & { name: string };
}

/** Milliseconds until counts are stored that decide nothing, unless a commit takes them along. */
const DELAY = 1000;

/**
 * What one environment stores beside rows, and how a later process gets it back. Counts and loaded scenarios travel with
 * the next commit. If a call commits nothing, counts that decide what later calls get are stored before its answer.
 */
export class StoredParts {
  readonly snapshots: Snapshots;
  readonly #environment: Environment;
  readonly #own: OwnParts;
  readonly readScenarios: (stored: StoredScenarios | undefined) => Promise<RevivedScenarios>;
  #storedCalls: CountedCalls | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The last write has failed; the timer tries again. */
  #isRefused = false;

  constructor(environment: Environment, own: OwnParts, services: EnvironmentServices) {
    this.#environment = environment;
    this.#own = own;
    const settings = { ...services, environment: environment.name };
    this.readScenarios = (stored) => readStoredScenarios(stored, settings);
    this.snapshots = new Snapshots({
      log: environment.log,
      write: storedSavePoint,
      read: (stored) => readSavePoint(stored, this.readScenarios),
      kept: () => this.kept(),
    });
  }

  /** Replays the log, then stores what the settings of this process change. */
  async attach(durable: EnvironmentLog, first: FirstWrite): Promise<void> {
    const { savePoints, log, journal } = this.#environment;
    if (durable.journal) await journal.keepIn(durable.journal);
    if (durable.shared) await journal.shareIn(durable.shared.calls, (entry) => this.#onOtherCall(entry));
    const stored = marksIn(durable);
    if (!stored) return this.#begin(durable, first);
    this.#environment.keptFor = stored.keptFor;
    const added = savePoints.replay(durable, await this.#read(stored, durable));
    await log.attach(durable, first);
    const isSame = String(stored.scenarios?.initial) === String(this.#own.initial.fingerprints);
    if (!isSame || !isEmpty(added)) this.#add(added);
    await this.snapshots.removeOthers();
  }

  /** All marks. */
  whole(): Marks {
    return {
      ...this.#basic(),
      scenarios: this.#wholeScenarios(),
      counted: this.#environment.rateWindow.save(),
      ...this.snapshots.marks(),
    };
  }

  /** Only what has changed since the last write. */
  changes(): Marks {
    return {
      ...this.#basic(),
      ...this.#scenarioChanges(),
      ...(this.#hasNewCalls && { counted: this.#environment.rateWindow.save() }),
      ...(this.snapshots.hasNews && this.snapshots.marks()),
    };
  }

  /** The log has the present marks. */
  written(): void {
    const { scenarios, rateWindow } = this.#environment;
    scenarios.unstored.clear();
    this.snapshots.hasNews = false;
    this.#storedCalls = rateWindow.save();
    this.#isRefused = false;
    this.#endTimer();
  }

  /** Call this before an answer. See `DurableLog.kept`. */
  kept(): Promise<void> | undefined {
    this.#store();
    return this.#environment.log.kept();
  }

  /** Stores the counts that wait for a commit, and the calls that wait. */
  close(): Promise<void> {
    this.#flush();
    return this.#environment.journal.finish();
  }

  /** Stores nothing more by itself. */
  stop(): void {
    this.#endTimer();
    this.#environment.journal.stop();
  }

  #onOtherCall(entry: Entry): void {
    const { activity, coverage } = this.#environment;
    coverage.count(entry);
    if (activity.isFollowed) activity.publish({ kind: 'request', entry });
  }

  async #begin(durable: EnvironmentLog, first: FirstWrite): Promise<void> {
    const { savePoints, log } = this.#environment;
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
    this.#own.initial.known(scenarios?.initial);
    this.snapshots.restore(snapshots, hasStart);
    return {
      scenarios: scenarios && (await this.readScenarios(scenarios)),
      counted,
      start: await this.snapshots.startIn(durable.savePoints),
    };
  }

  get #hasNewCalls(): boolean {
    return this.#environment.rateWindow.save() !== this.#storedCalls;
  }

  #basic(): BasicMarks {
    const { state, origin } = this.#own;
    const { clock, keptFor } = this.#environment;
    return { ...basicMarks(state, clock, origin), ...(keptFor && { keptFor }) };
  }

  #wholeScenarios(): StoredScenarios {
    const { state, initial } = this.#own;
    const saved = this.#environment.scenarios.save();
    return { ...storedForm(saved, state.tables), initial: initial.fingerprints };
  }

  #scenarioChanges(): { scenarios?: StoredScenarios } {
    const { scenarios } = this.#environment;
    const { unstored } = scenarios;
    if (unstored.isEmpty) return {};
    if (unstored.isWhole) return { scenarios: this.#wholeScenarios() };
    const { tables } = this.#own.state;
    const images = unstored.hasImages && { images: storedImages(scenarios.save().images, tables) };
    return { scenarios: { counts: Array.from(unstored.counted, countsOf), ...images } };
  }

  #store(): void {
    const { log, scenarios } = this.#environment;
    if (!log.isKept || log.isOver || this.#isRefused) return;
    if (scenarios.unstored.decides || this.#hasNewCalls || this.snapshots.hasNews) this.#append();
    else if (!scenarios.unstored.isEmpty) this.#storeLater();
  }

  /** Stores all marks, and changes that this process has made at its start. */
  #add(changes: Omit<Commit, 'marks'>): void {
    this.#environment.scenarios.unstored.noteAll();
    this.#append(changes);
  }

  /** Stores the counts that wait for a commit. */
  #flush(): void {
    this.#endTimer();
    const { log, scenarios } = this.#environment;
    if (log.isKept && !log.isOver && !scenarios.unstored.isEmpty) this.#append();
  }

  /** A count is not worth refusing a call: on a full disk it stays in memory. */
  #append(commit: Omit<Commit, 'marks'> = { changes: [] }): void {
    try {
      this.#environment.log.append(() => commit);
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
      this.#flush();
    }, DELAY).unref();
  }

  #endTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

const isEmpty = ({ base, changes }: Omit<Commit, 'marks'>) => !base && changes.length === 0;
