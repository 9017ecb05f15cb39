import { readdirSync, readFileSync, watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import type { Controls } from '../control/serve.ts';
import { digestOf, loadFixture } from '../environments/fixtures.ts';
import { DEFAULT_ENVIRONMENT } from '../environments/registry.ts';
import type { Log } from '../log.ts';
import { PACKAGE_ROOT } from '../package-root.ts';
import { isFileName } from '../scenarios/folders.ts';
import { parseReference } from '../scenarios/reference.ts';

const FIXTURES = join(PACKAGE_ROOT, 'fixtures');
const SCENARIOS = join(PACKAGE_ROOT, 'scenarios');

/** Reads fixture and loaded scenarios again when their files change. A file that is wrong changes nothing. */
export function watchFiles(controls: Controls, config: Config, log: Log): () => void {
  const reloadFixture = fixtureReloader(controls, config);
  // A fixture may include those of the package, wherever it lies itself.
  const folders = new Set([FIXTURES, resolve(dirname(config.fixture))]);
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

/** To be called when any file beside the fixture has changed: only other rows count. */
function fixtureReloader({ contract, fixtures, simulator }: Controls, { fixture }: Config) {
  const source = { folder: FIXTURES, contract, proven: new Set<string>() };
  const digest = () => digestOf(JSON.stringify(loadFixture(fixture, 0, source)));
  let known = digest();
  return () => {
    const found = digest();
    if (found === known) return undefined;
    known = found;
    fixtures.forget();
    simulator.environments.get(DEFAULT_ENVIRONMENT).useFixture(fixtures.seed());
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
  const read = () =>
    new Map(
      filesIn(folder).map(
        (file) => [resolve(folder, file), readFileSync(join(folder, file), 'utf8')] as const,
      ),
    );
  let known = read();
  return () => {
    const before = known;
    known = read();
    const changed = [...known].filter(([file, text]) => before.get(file) !== text);
    return new Set(changed.map(([file]) => file));
  };
}

const filesIn = (folder: string) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
