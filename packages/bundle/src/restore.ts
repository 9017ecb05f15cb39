import type { Controls } from '@understudy/core/control/handler';
import type { EarlierSurroundings } from '@understudy/core/environment/earlier-run';
import type { Environment } from '@understudy/core/environment/environment';
import { readSavePoint } from '@understudy/core/environment/save-points';
import { readJournal } from '@understudy/core/journal/stored-calls';
import { ApiError } from '@understudy/core/contract/errors';
import { ScenarioError } from '@understudy/core/scenarios/complaints';
import type { Scenario } from '@understudy/core/scenarios/scenario';
import type { ScenarioCopy } from '@understudy/core/scenarios/scenario-copy';
import { revive, type RevivedScenarios } from '@understudy/core/scenarios/stored-scenarios';
import type { RowChange } from '@understudy/core/state/env';
import { FixtureRows } from '@understudy/core/state/fixture-rows';
import { BundleError, type Bundle, type ScenarioState } from './format.ts';

/**
 * Makes an environment that is what the bundle's was at its end, with history and journal. Only what has passed `readBundle`
 * may come here. Throws BundleError.
 */
export async function restoreBundle(bundle: Bundle, controls: Controls): Promise<Environment> {
  const scenarios = await scenariosOf(bundle, controls);
  try {
    return await restore(bundle, scenarios, controls);
  } catch (thrown) {
    if (thrown instanceof BundleError) throw thrown;
    throw new BundleError(`the parts of the bundle do not fit together: ${(thrown as Error).message}`, {
      cause: thrown,
    });
  }
}

async function restore(
  bundle: Bundle,
  scenarios: readonly RevivedScenarios[],
  controls: Controls,
): Promise<Environment> {
  const { start, commits } = bundle;
  const { name, seed, generation, strict, clock } = bundle.environment;
  const marks = { generator: start.generator, clock: start.clock, counted: start.counted };
  const point = await readSavePoint(
    { marks, collections: start.rows },
    async () => scenarios[start.scenarios]!,
  );
  const origin = { name, seed, generation, clock, ...(strict !== undefined && { strict }) };
  const environment = controls.simulator.environments.adopt(origin, new FixtureRows({}));
  const surroundings = bundle.surroundings.map((each): EarlierSurroundings => ({
    ...each,
    scenarios: scenarios[each.scenarios]!,
  }));
  const steps = environment.savePoints.continueRun({
    start: point,
    position: start.position,
    commits,
    surroundings,
  });
  const changes = new Map<number, RowChange[]>();
  for (const [index, { call }] of commits.entries())
    if (call !== undefined)
      changes.set(call, [...(changes.get(call) ?? []), ...changesIn(steps[index]!.written)]);
  showCalls(bundle, changes, environment);
  checkCalls(environment, controls);
  return environment;
}

const changesIn = (written: unknown): readonly RowChange[] =>
  Array.isArray(written) ? (written as readonly RowChange[]) : [];

function showCalls(
  { calls }: Bundle,
  changes: ReadonlyMap<number, RowChange[]>,
  { journal }: Environment,
): void {
  const [first, last] = [calls[0]?.number ?? 1, calls.at(-1)?.number ?? 0];
  const batch = { next: last + 1, last, oldest: first, evicted: first - 1, replaces: true, calls };
  const restored = readJournal([JSON.stringify(batch)])!;
  const known = new Map(calls.map((call) => [call.number, call]));
  for (const entry of restored.entries) {
    const { start, end } = known.get(entry.number)!;
    Object.assign(entry, { start, end });
    entry.changes = changes.get(entry.number) ?? entry.changes;
  }
  journal.show(restored);
}

/** Each call must be what the control API may show. */
function checkCalls({ journal }: Environment, { contract }: Controls): void {
  const operation = contract.operations.find(({ base }) => base === 'Control_GetRequest')!;
  for (const entry of journal.list()) {
    try {
      contract.checkResponse(operation, 200, journal.view(entry));
    } catch (thrown) {
      if (!(thrown instanceof ApiError) && !(thrown instanceof TypeError)) throw thrown;
      throw new BundleError(`the file is no bundle that can be used: ${entry.id}: ${thrown.message}`);
    }
  }
}

/** Reads each scenario once. */
async function scenariosOf(
  { scenarios: { copies, states } }: Bundle,
  controls: Controls,
): Promise<RevivedScenarios[]> {
  const read = new Map<ScenarioCopy, Scenario>();
  if (copies.length > 0) {
    const { library } = await controls.scenarios();
    for (const copy of copies)
      try {
        read.set(copy, await library.readCopy(copy));
      } catch (thrown) {
        if (!(thrown instanceof ScenarioError)) throw thrown;
        throw new BundleError(
          `this version does not understand scenario ${copy.file} of the bundle: ${thrown.message}`,
        );
      }
  }
  const revived = ({ loaded, ...state }: ScenarioState) =>
    revive(
      { ...state, loaded: loaded.map(({ copy, ...each }) => ({ ...each, copy: copies[copy]! })) },
      async (copy) => read.get(copy),
    );
  return Promise.all(states.map(revived));
}
