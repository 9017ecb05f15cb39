import type { LoadedScenarios } from '../scenarios/rules.ts';
import type { Commit } from '../store/change-log.ts';
import type { EnvironmentLog } from '../store/storage.ts';
import type { Clock } from '../state/clock.ts';
import type { DurableLog, FirstWrite } from './durable-log.ts';
import type { Journal } from '../journal/journal.ts';
import { StoredScenarioReader, type InitialScenarios } from './scenario-loader.ts';
import { LogMarks } from './log-marks.ts';
import { basicMarks, marksIn, type Marks, type Origin } from './marks.ts';
import type { RateWindow } from '../state/rate-window.ts';
import type { EnvironmentServices } from './services.ts';
import { Snapshots } from './snapshots.ts';
import type { State } from '../state/state.ts';
import { readSavePoint, storedSavePoint, type PartsOfLog, type SavePoints } from './save-points.ts';

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
