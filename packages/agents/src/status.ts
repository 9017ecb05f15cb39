import type { Clock, Environment, LoadedScenario } from '@understudy/client/control';
import { callLine, summaryOf, type CallSummary } from '@understudy/client/reasons';
import type { ToolContext } from './service.ts';
import type { ToolOutput } from './tool.ts';

const LATEST = 5;
/** A long list would fill the context of a model. */
export const SHOWN_AT_REST = 100;

/** What an agent wants to know first: how to reach the environment, and what it is like now. */
export async function statusOf({ control, environment: own }: ToolContext): Promise<ToolOutput> {
  const { version } = await control.health();
  const environment = await own.get();
  const snapshots = await own.snapshots.list();
  const calls = await own.requests.list({ limit: LATEST });
  const status: Status = {
    version,
    environment,
    environments: (await control.environments.list({ resting: SHOWN_AT_REST })).map(({ name }) => name),
    clock: await own.clock.get(),
    scenarios: (await own.scenarios.list()).loaded,
    rows: filledOf(await own.state.counts()),
    snapshots: snapshots.map(({ name }) => name),
    calls: calls.map(summaryOf),
  };
  return { text: textOf(status), data: { ...status } };
}

interface Status {
  version: string;
  environment: Environment;
  environments: string[];
  clock: Clock;
  scenarios: LoadedScenario[];
  /** The number of rows by collection. */
  rows: Record<string, number>;
  snapshots: string[];
  /** The latest. */
  calls: CallSummary[];
}

function textOf(status: Status): string {
  const { version, environment, environments, clock, scenarios, rows, snapshots, calls } = status;
  const { name, base_url, client_id, client_secret } = environment;
  const counts = Object.entries(rows).map(([collection, count]) => `${collection} ${count}`);
  return [
    `Understudy ${version} at ${base_url}. Environment ${name}; all environments: ${environments.join(', ')}.`,
    `For an SDK: url ${base_url}, client_id ${client_id}, client_secret ${client_secret}.`,
    `Clock: ${clock.now} (${clock.mode}).`,
    ...(scenarios.length === 0 ? ['No scenario is loaded.'] : scenarios.map(loadedLine)),
    `Rows: ${counts.join(', ') || 'none'}.`,
    ...(snapshots.length === 0 ? [] : [`Snapshots: ${snapshots.join(', ')}.`]),
    ...(calls.length === 0 ? ['No call yet.'] : ['The latest calls:', ...calls.map(callLine)]),
  ].join('\n');
}

/** Collections without rows are left out. */
const filledOf = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

/** Such as `scenario x is loaded; rules[0] on "A": seen 2, hits 1, remaining 0`. */
export function loadedLine({ name, rules }: LoadedScenario): string {
  const each = rules.map(
    ({ on, seen, hits, remaining }, rule) =>
      `rules[${rule}] on ${JSON.stringify(on)}: seen ${seen}, hits ${hits}${remaining === undefined ? '' : `, remaining ${remaining}`}`,
  );
  return [`scenario ${name} is loaded`, ...each].join('; ');
}
