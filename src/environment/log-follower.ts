import { publishChanges } from '../journal/activity.ts';
import {
  mergeStored,
  storedForm,
  type RevivedScenarios,
  type StoredScenarios,
} from '../scenarios/stored-scenarios.ts';
import type { Collection, RowChange } from '../state/env.ts';
import type { FixtureRows } from '../state/fixture-rows.ts';
import { anyTable } from '../state/schema.ts';
import type { State } from '../state/state.ts';
import type { Commit } from '../store/change-log.ts';
import type { LogFollower, Rest } from '../store/storage.ts';
import { replayCommit } from './durable-log.ts';
import type { Environment } from './environment.ts';
import type { KeptTest, Marks } from './marks.ts';
import { restOf } from './rest.ts';
import type { SavePoint } from './save-points.ts';
import type { SavedSnapshots } from './snapshots.ts';

interface FollowerParts {
  state: State;
  fixture: () => FixtureRows;
  readScenarios: (stored: StoredScenarios) => Promise<RevivedScenarios>;
  /** The clock was set, or the deadlines have changed. */
  rearm: () => void;
}

interface SavedEnvironment {
  point: SavePoint;
  keptFor: KeptTest | undefined;
  snapshots: SavedSnapshots;
  /** Whether the log has everything that scenarios have counted. */
  isStored: boolean;
}

/** Makes the changes of other processes in one environment, and takes back what they were faster than. */
export class EnvironmentFollower implements LogFollower {
  readonly #environment: Environment;
  readonly #parts: FollowerParts;

  constructor(environment: Environment, parts: FollowerParts) {
    this.#environment = environment;
    this.#parts = parts;
  }

  get isFollowed(): boolean {
    return this.#environment.activity.isFollowed;
  }

  save(): SavedEnvironment {
    const { savePoints, keptFor, snapshots, scenarios } = this.#environment;
    const isStored = scenarios.unstored.isEmpty;
    return { point: savePoints.save(), keptFor, snapshots: snapshots.save(), isStored };
  }

  restore(saved: unknown): void {
    const { point, keptFor, snapshots, isStored } = saved as SavedEnvironment;
    const { state } = this.#parts;
    const { clock, scenarios, rateWindow } = this.#environment;
    state.restore(point.state);
    clock.set(point.clock);
    scenarios.restore(point.scenarios);
    if (isStored) scenarios.unstored.clear();
    rateWindow.restore(point.counted);
    this.#environment.snapshots.takeBack(snapshots);
    this.#environment.keptFor = keptFor;
    this.#parts.rearm();
  }

  prepare(commits: readonly Commit[]): (() => void) | Promise<() => void> {
    const news = commits.flatMap(({ marks }) => (marks as Marks).scenarios ?? []);
    if (!news.some(({ loaded, images }) => loaded || images)) return () => this.#apply(commits, news);
    return this.#revived(news).then((revived) => () => this.#apply(commits, news, revived));
  }

  readCalls(): Promise<void> | undefined {
    return this.#environment.journal.readNews();
  }

  rest(): Rest {
    return restOf(this.#environment);
  }

  #revived(news: readonly StoredScenarios[]): Promise<RevivedScenarios> {
    const { scenarios } = this.#environment;
    const present = storedForm(scenarios.save(), this.#parts.state.tables);
    return this.#parts.readScenarios(mergeStored([present, ...news]));
  }

  #apply(commits: readonly Commit[], news: readonly StoredScenarios[], revived?: RevivedScenarios): void {
    const { scenarios, savePoints, snapshots, rateWindow, activity } = this.#environment;
    for (const commit of commits) {
      const { counted, snapshots: list, hasStart, keptFor } = commit.marks as Marks;
      this.#applyRows(commit);
      if (counted) rateWindow.restore(counted);
      if (list) snapshots.restore(list, hasStart);
      this.#environment.keptFor = keptFor;
      if (commit.reset?.includes('requests')) this.#environment.journal.forget();
      if (commit.reset) activity.publish({ kind: 'reset', parts: commit.reset });
    }
    if (revived) savePoints.useScenarios(revived);
    else for (const { counts = [] } of news) scenarios.setCounts(counts);
    this.#parts.rearm();
  }

  #applyRows(commit: Commit): void {
    const { state, fixture } = this.#parts;
    const { activity, clock } = this.#environment;
    const rows = activity.isFollowed ? commit.changes : [];
    const before = rows.map(({ collection, id }) =>
      anyTable(state.tables, collection as Collection).find(id),
    );
    replayCommit({ state, clock, fixture: fixture() }, commit);
    if (rows.length === 0) return;
    const changes = rows.map(({ collection, id, row }, index) => ({
      collection,
      id,
      position: anyTable(state.tables, collection as Collection).positionOf(id) ?? 0,
      before: before[index],
      after: row ?? undefined,
    }));
    publishChanges(changes as RowChange[], activity);
  }
}
