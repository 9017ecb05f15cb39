import { countsOf, storedForm, storedImages, type StoredScenarios } from '../scenarios/stored-scenarios.ts';
import type { LoadedScenarios } from '../scenarios/rules.ts';
import type { Commit } from '../store/change-log.ts';
import type { DurableLog } from './durable-log.ts';
import { NotKept } from '../store/not-kept.ts';
import type { BasicMarks, Marks } from './marks.ts';
import type { CountedCalls, RateWindow } from '../state/rate-window.ts';
import type { Snapshots } from './snapshots.ts';
import type { State } from '../state/state.ts';

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
export class LogMarks {
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
