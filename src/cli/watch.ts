import { readdirSync, watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../start/config.ts';
import type { Controls } from '../control/handler.ts';
import { DEFAULT_ENVIRONMENT } from '../state/environment-names.ts';
import type { Log } from '@understudy/text/log';
import { PACKAGE_ROOT, FileError, readRegularFile } from '@understudy/text/files';
import { isFileName } from '../scenarios/scenario-files.ts';
import { parseReference } from '../scenarios/path.ts';

const FIXTURES = join(PACKAGE_ROOT, 'fixtures');
const SCENARIOS = join(PACKAGE_ROOT, 'scenarios');

/** Reloads the fixture and the loaded scenarios when their files change. An invalid file changes nothing. */
export function watchFiles(controls: Controls, config: Config, log: Log): () => void {
  const reloadFixture = fixtureReloader(controls);
  // Any fixture may include fixtures by name from these folders.
  const named = [FIXTURES, ...config.fixtureFolders, dirname(config.fixture)];
  const folders = new Set(named.map((folder) => resolve(folder)));
  const stops = [
    ...Array.from(folders, (folder) => onChange(folder, () => void tryReload(log, 'fixture', reloadFixture))),
    ...Array.from(scenarioFolders(config), (folder) => {
      const changes = changesIn(folder);
      return onChange(folder, () => void reloadScenarios(changes(), controls, log));
    }),
  ];
  return () => stops.forEach((stop) => stop());
}

/** The folders that are searched by name, and the folders of files loaded at the start. */
function scenarioFolders({ scenarioFolders, scenarios }: Config): Set<string> {
  const files = scenarios.map((reference) => parseReference(reference).name).filter(isFileName);
  return new Set([SCENARIOS, ...scenarioFolders, ...files.map(dirname)].map((folder) => resolve(folder)));
}

function onChange(folder: string, look: () => void): () => void {
  let waiting = false;
  const watcher = watch(folder, () => {
    // One write causes several events, usually together.
    if (!waiting) setImmediate(() => ((waiting = false), look()));
    waiting = true;
  });
  return () => watcher.close();
}

type Reload = () => string | undefined | Promise<string | undefined>;

async function tryReload(log: Log, what: string, reload: Reload): Promise<void> {
  try {
    const done = await reload();
    if (done !== undefined) log.info(done);
  } catch (thrown) {
    log.warn(`${what} not reloaded: ${(thrown as Error).message}`);
  }
}

/**
 * Returns the function to call when a fixture file changes. It resets the environment `default` if its rows
 * have changed.
 */
function fixtureReloader({ fixtures, simulator }: Controls) {
  let known = fixtures.digest();
  return () => {
    const found = fixtures.digest(); // Throws for an invalid file: the fixture that was read before stays.
    fixtures.clearCache(); // Fixtures with other names may have changed too.
    if (found === known) return undefined;
    known = found;
    simulator.environments.get(DEFAULT_ENVIRONMENT).savePoints.useFixture(fixtures.standard());
    return 'fixture reloaded: environment default starts again with it';
  };
}

/** Reloads the scenarios of the files in every environment that has loaded them. */
async function reloadScenarios(
  changed: ReadonlySet<string>,
  { scenarios, simulator }: Controls,
  log: Log,
): Promise<void> {
  for (const environment of simulator.environments.list()) {
    for (const { name, origin, files = [] } of environment.scenarios.scenarios()) {
      if (!origin || !files.some((file) => changed.has(resolve(file)))) continue;
      await tryReload(log, `scenario ${name}`, async () => {
        const { library } = await scenarios();
        environment.loadScenario(library.readAgain(origin));
        return `scenario ${name} reloaded in ${environment.name}`;
      });
    }
  }
}

/** Files whose text has changed since the last call. */
function changesIn(folder: string): () => Set<string> {
  let known = textsIn(folder);
  return () => {
    const before = known;
    known = textsIn(folder);
    const changed = [...known].filter(([file, text]) => before.get(file) !== text);
    return new Set(changed.map(([file]) => file));
  };
}

/** The texts of scenario files; other files in the folder may be large and are skipped. */
function textsIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  return new Map(names.flatMap((name) => textOf(resolve(folder, name))));
}

function textOf(file: string): [file: string, text: string][] {
  try {
    return [[file, readRegularFile(file)]];
  } catch (thrown) {
    if (thrown instanceof FileError) return [];
    throw thrown;
  }
}
