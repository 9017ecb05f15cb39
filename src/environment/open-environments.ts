import type { Config } from '../start/config.ts';
import { DEFAULT_ENVIRONMENT } from '../state/environment-names.ts';
import { Environments } from './environments.ts';
import { FixtureError } from '../fixtures/fixture-error.ts';
import type { FixtureFolder } from '../fixtures/fixtures.ts';
import type { FixtureRows } from '../state/fixture-rows.ts';
import type { Origin } from './marks.ts';
import type { EnvironmentServices } from './environment.ts';
import type { Log } from '@understudy/text/log';
import type { ScenarioCatalog } from '../scenarios/library.ts';
import { logFolder, openStore, type OpenDatabase } from './open-store.ts';

async function initialScenarios(
  { scenarios, scenarioFolders }: Config,
  folder: () => Promise<ScenarioCatalog>,
) {
  if (scenarios.length === 0 && scenarioFolders.length === 0) return [];
  const { library } = await folder();
  return scenarios.map((reference) => library.readNamed(reference));
}

/** Where environments come from. */
interface Sources {
  fixtures: FixtureFolder;
  scenarios: () => Promise<ScenarioCatalog>;
  openDatabase: OpenDatabase;
}

/** Opens `default` and the environments that an earlier process has stored. */
export async function openEnvironments(
  config: Config,
  log: Log,
  { fixtures, scenarios, openDatabase }: Sources,
  shared: EnvironmentServices,
): Promise<Environments> {
  const { seed, maxEnvironments: limit, environmentTtl: idleLimit, credentials } = config;
  const fixture = fixtures.standard();
  const initial = await initialScenarios(config, scenarios);
  const store = await openStore(config, log, openDatabase, () => fixtures.digest());
  const persist = config.data !== undefined || config.store !== undefined;
  const environments = new Environments(
    { seed, limit, idleLimit, credentials, isShared: config.store !== undefined },
    store,
    shared,
  );
  try {
    await environments.create({ name: DEFAULT_ENVIRONMENT, persist }, fixture, initial);
    await environments.reopen((name, origin) => keptFixture(fixtures, name, origin));
    logFolder(config, log);
    return environments;
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}

/** The fixture of a stored environment may no longer exist. */
function keptFixture(fixtures: FixtureFolder, name: string, { fixture, clock }: Origin): FixtureRows {
  try {
    return fixtures.rows(fixture, clock);
  } catch (thrown) {
    throw thrown instanceof FixtureError
      ? new FixtureError(`environment ${name}: ${thrown.message}`)
      : thrown;
  }
}
