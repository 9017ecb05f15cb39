import { readdirSync, watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import type { Controls } from '../control/serve.ts';
import { DEFAULT_ENVIRONMENT } from '../environment/environments.ts';
import type { Log } from '../log.ts';
import { PACKAGE_ROOT } from '../package-root.ts';
import { FileError, readRegularFile } from '../files.ts';
import { isFileName } from '../scenarios/folders.ts';
import { parseReference } from '../scenarios/path.ts';

const FIXTURES = join(PACKAGE_ROOT, 'fixtures');
const SCENARIOS = join(PACKAGE_ROOT, 'scenarios');

/** Reads fixture and loaded scenarios again when their files change. A file that is wrong changes nothing. */
export function watchFiles(controls: Controls, config: Config, log: Log): () => void {
  const reloadFixture = fixtureReloader(controls);
  // A fixture may include those that have a name, wherever it lies itself.
  const named = [FIXTURES, ...config.fixtureFolders, dirname(config.fixture)];
  const folders = new Set(named.map((folder) => resolve(folder)));
  const stops = [
    ...Array.from(folders, (folder) => onChange(folder, () => void attempt(log, 'fixture', reloadFixture))),
    ...Array.from(scenarioFolders(config), (folder) => {
      const changes = changesIn(folder);
      return onChange(folder, () => void reloadScenarios(changes(), controls, log));
    }),
  ];
  return () => stops.forEach((stop) => stop());
}

/** Those that are searched for names, and those of files that are loaded at the start. */
function scenarioFolders({ scenarioFolders, scenarios }: Config): Set<string> {
  const files = scenarios.map((reference) => parseReference(reference).name).filter(isFileName);
  return new Set([SCENARIOS, ...scenarioFolders, ...files.map(dirname)].map((folder) => resolve(folder)));
}

function onChange(folder: string, look: () => void): () => void {
  let waiting = false;
  const watcher = watch(folder, () => {
    // One write is several events, which mostly come together.
    if (!waiting) setImmediate(() => ((waiting = false), look()));
    waiting = true;
  });
  return () => watcher.close();
}

type Reload = () => string | undefined | Promise<string | undefined>;

async function attempt(log: Log, what: string, reload: Reload): Promise<void> {
  try {
    const done = await reload();
    if (done !== undefined) log.info(done);
  } catch (thrown) {
    log.warn(`${what} not reloaded: ${(thrown as Error).message}`);
  }
}

/** To be called when a file of these folders has changed. Environment default starts again where its rows are others now. */
function fixtureReloader({ fixtures, simulator }: Controls) {
  let known = fixtures.digest();
  return () => {
    const found = fixtures.digest(); // throws for a broken file: then all goes on with what was read
    fixtures.clearCache(); // those of other names may have changed too
    if (found === known) return undefined;
    known = found;
    simulator.environments.get(DEFAULT_ENVIRONMENT).useFixture(fixtures.standard());
    return 'fixture reloaded: environment default starts again with it';
  };
}

/** What was read from those files, in every environment that has loaded it. */
async function reloadScenarios(
  changed: ReadonlySet<string>,
  { scenarios, simulator }: Controls,
  log: Log,
): Promise<void> {
  for (const environment of simulator.environments.list()) {
    for (const { name, origin, files = [] } of environment.scenarios.scenarios()) {
      if (!origin || !files.some((file) => changed.has(resolve(file)))) continue;
      await attempt(log, `scenario ${name}`, async () => {
        const { library } = await scenarios();
        environment.loadScenario(library.readAgain(origin));
        return `scenario ${name} reloaded in ${environment.name}`;
      });
    }
  }
}

/** Files whose text is another than when this was last called. */
function changesIn(folder: string): () => Set<string> {
  let known = textsIn(folder);
  return () => {
    const before = known;
    known = textsIn(folder);
    const changed = [...known].filter(([file, text]) => before.get(file) !== text);
    return new Set(changed.map(([file]) => file));
  };
}

/** Beside scenarios there may be files of any size and kind: those that no scenario can be read from have no text here. */
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
