import { machineTime, uptime } from '../state/clock.ts';
import type { Environment } from '../environment/environment.ts';
import type { KeptTest } from '../environment/marks.ts';
import type { RestingView } from '../environment/rest.ts';
import { searchFor } from '@understudy/text/words';
import { countRows } from '../state/schema.ts';
import { tablesAt } from '../state/state.ts';
import { RESET_PARTS, type ResetPart } from '../environment/save-points.ts';
import { stateReply } from './row-pieces.ts';
import { pointAt } from './moments.ts';
import type { Snapshot } from '../environment/snapshots.ts';
import { checkedClock } from './clock.ts';
import type { ControlContext, ControlOperations } from './handler.ts';
import { scenariosOf } from './scenarios.ts';

/** Those that rest, in one answer. */
const RESTING_AT_ONCE = 100;
/** More than a service keeps for tests. */
const KEPT_AT_REST = 1000;

export const environments = {
  async Control_ListEnvironments({ query: { limit = RESTING_AT_ONCE, since, test } }, context) {
    const { simulator, baseUrl } = context;
    const { environments: all } = simulator;
    if (test !== undefined) return { environments: await keptFor(test, limit, context) };
    const awake = since === undefined ? all.list().filter(({ log }) => !log.isOver) : [];
    const resting = limit > 0 ? await all.resting({ after: since ?? '', limit: limit + 1 }) : [];
    const refusal = all.stored.refusal();
    if (refusal) throw refusal;
    const next = resting.length > limit ? resting[limit - 1]!.name : undefined;
    const shown = [
      ...awake.map((environment) => view(environment, baseUrl)),
      ...resting.slice(0, limit).map((each) => restingView(each, baseUrl)),
    ];
    return { environments: shown, ...(next !== undefined && { next }) };
  },

  async Control_CreateEnvironment({ body }, context) {
    const { simulator, fixtures, baseUrl } = context;
    const { fixture, clock, scenarios = [], ...wanted } = body ?? {};
    const settings = clock && checkedClock(clock);
    const initial = await scenariosOf(
      context,
      scenarios.map((_, index) => ['scenarios', index]),
    );
    const seed = fixtures.rows(fixture, settings);
    const environment = await simulator.environments.create(
      { ...wanted, fixture, clock: settings },
      seed,
      initial,
    );
    return view(environment, baseUrl);
  },

  Control_GetEnvironment(_, { environment, baseUrl }) {
    return view(environment, baseUrl);
  },

  async Control_DeleteEnvironment({ path }, { simulator }) {
    await simulator.environments.drop(path.environment);
    return undefined;
  },

  async Control_KeepEnvironment({ body }, { environment, simulator, baseUrl }) {
    await simulator.environments.keep(environment, body);
    return view(environment, baseUrl);
  },

  async Control_ForkEnvironment({ body }, { environment, simulator, baseUrl }) {
    const { name, at } = body ?? {};
    const point = at === undefined ? undefined : await pointAt(environment, at);
    return view(await simulator.environments.fork(environment, name, point), baseUrl);
  },

  Control_ListFixtures(_, { fixtures }) {
    return { fixtures: fixtures.names() };
  },

  Control_Reset({ query }, { environment }) {
    const parts = query.only?.split(',') as ResetPart[] | undefined;
    environment.savePoints.reset(new Set(parts ?? RESET_PARTS));
    return undefined;
  },
} satisfies Partial<ControlOperations>;

/** Those whose test has these words: the awake ones, then those at rest. `limit` is 0 if another process lists them. */
async function keptFor(test: string, limit: number, { simulator, baseUrl }: ControlContext) {
  const hasWords = searchFor(test);
  const isWanted = ({ keptFor: kept }: Pick<RestingView, 'keptFor'>) => kept && hasWords(kept.test);
  const { environments: all } = simulator;
  const awake = all.list().filter((each) => !each.log.isOver && isWanted(each));
  const resting = limit > 0 ? await all.resting({ after: '', limit: KEPT_AT_REST, isKept: true }) : [];
  const refusal = all.stored.refusal();
  if (refusal) throw refusal;
  return [
    ...awake.map((each) => view(each, baseUrl)),
    ...resting.filter(isWanted).map((each) => restingView(each, baseUrl)),
  ];
}

const view = (environment: Environment, base_url: string) => ({
  name: environment.name,
  base_url,
  ...environment.credentials,
  ...usageOf(environment),
  ...keptView(environment.keptFor),
});

const keptView = (kept: KeptTest | undefined) =>
  kept && { kept: { test: kept.test, outcome: kept.outcome, kept_at: new Date(kept.at).toISOString() } };

/** The calls of its journal are forgotten. */
const restingView = (
  { name, credentials, created, idle, rows, keptFor: kept }: RestingView,
  base_url: string,
) => ({
  name,
  base_url,
  ...credentials,
  created_at: new Date(created).toISOString(),
  last_used_at: new Date(machineTime() - idle).toISOString(),
  rows,
  requests: 0,
  resting: true,
  ...keptView(kept),
});

/** How old and how large an environment is, by the machine's clock. The cost does not depend on its rows and calls. */
function usageOf({ created, lastUse, tables, journal }: Environment) {
  return {
    created_at: new Date(created).toISOString(),
    last_used_at: new Date(machineTime() - (uptime() - lastUse)).toISOString(),
    rows: countRows(tables),
    requests: journal.count,
  };
}

export const snapshots = {
  Control_ListSnapshots(_, { environment }) {
    return { snapshots: environment.snapshots.list().map(snapshotView) };
  },

  async Control_TakeSnapshot({ body }, { environment }) {
    const { snapshots, activity, clock } = environment;
    const taken = await snapshots.add({ name: body.name, time: clock.now() }, environment.savePoints.save());
    activity.publish({ kind: 'snapshot', change: 'taken', name: body.name });
    return snapshotView(taken);
  },

  async Control_GetSnapshotState({ path }, { environment }) {
    const { state } = await environment.snapshots.pointOf(path.snapshot);
    return stateReply(tablesAt(state)) as never;
  },

  async Control_RestoreSnapshot({ path }, { environment }) {
    environment.savePoints.restore(await environment.snapshots.pointOf(path.snapshot));
    return undefined;
  },

  async Control_DeleteSnapshot({ path }, { environment }) {
    await environment.snapshots.remove(path.snapshot);
    return undefined;
  },
} satisfies Partial<ControlOperations>;

const snapshotView = ({ name, time }: Snapshot) => ({ name, time: new Date(time).toISOString() });
