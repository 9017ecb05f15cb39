import { DEFAULTS, KNOWN_CREDENTIALS, KNOWN_WEBHOOK_SECRET } from '../../src/start/config.ts';
import { Contract } from '../../src/contract/contract.ts';
import { readContract } from '../../src/contract/documents.ts';
import type { Environment } from '../../src/environment/environment.ts';
import { DEFAULT_ENVIRONMENT } from '../../src/state/environment-names.ts';
import { Environments } from '../../src/environment/environments.ts';
import type { FixtureRows } from '../../src/state/fixture-rows.ts';
import { Keys } from '../../src/state/keys.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { anyTable, COLLECTIONS, TABLES } from '../../src/state/schema.ts';
import { SchemaChecks } from '../../src/contract/json-schema/checks.ts';
import type { Collection } from '../../src/state/env.ts';
import { keysOf, type Indexes } from '../../src/rows/fixture-table.ts';
import type { RowBase } from '../../src/rows/positions.ts';
import type { Consequence } from '../../src/state/units-of-work.ts';
import type { Store } from '../../src/store/storage.ts';

const shared = {
  keys: new Keys(),
  schemas: new SchemaChecks(),
  rows: new Contract(readContract('control')),
  journal: DEFAULTS.journal,
  report: () => undefined,
  warn: () => undefined,
  history: 10_000,
  onCalled: () => undefined,
  metrics: new Metrics(),
  readScenario: () => Promise.reject(new Error('nothing is stored')),
  outgoing: { dispatch: () => undefined, resume: () => undefined, settled: () => Promise.resolve() },
  webhooks: { urls: [], secret: KNOWN_WEBHOOK_SECRET },
};

/** Opens the environment `default` on a store, with a frozen clock. */
export async function openDefault(
  store: Store,
  seed: FixtureRows,
  consequences: readonly Consequence[] = [],
) {
  const settings = {
    seed: 1,
    limit: 10,
    idleLimit: Infinity,
    rest: { after: Infinity, most: 10 },
    isShared: false,
    credentials: KNOWN_CREDENTIALS,
    KNOWN_WEBHOOK_SECRET,
  };
  const environments = new Environments(settings, store, { ...shared, consequences });
  const wanted = {
    name: DEFAULT_ENVIRONMENT,
    persist: true,
    clock: { mode: 'frozen' as const, at: '2030-01-01T00:00:00Z' },
  };
  const environment = await environments.create(wanted, seed);
  return { environments, environment };
}

/** Everything that a client could read, also through each index. */
export function seen(environment: Environment) {
  const { marks } = environment.savePoints.view();
  return { marks, rows: environment.collections(), found: COLLECTIONS.map((c) => foundBy(environment, c)) };
}

function foundBy({ tables }: Environment, collection: Collection) {
  const table = anyTable(tables, collection);
  const indexes = TABLES[collection].indexes as Indexes<RowBase>;
  return Object.entries(indexes).map(([index, key]) => {
    const keys = new Set(table.list().flatMap((row) => keysOf(key, row)));
    return [index, Array.from(keys, (each) => [each, table.list(index, each).map(({ id }) => id)])];
  });
}
