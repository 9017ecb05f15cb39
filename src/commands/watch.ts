import { readdirSync, readFileSync, watch } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import type { Controls } from '../control/serve.ts';
import { digestOf, loadFixture } from '../environments/fixtures.ts';
import { DEFAULT_ENVIRONMENT } from '../environments/registry.ts';
import type { Log } from '../log.ts';
import { PACKAGE_ROOT } from '../package-root.ts';

const FIXTURES = join(PACKAGE_ROOT, 'fixtures');
const SCENARIOS = join(PACKAGE_ROOT, 'scenarios');

/** Reads fixture and loaded scenarios again when their files change. A file that is wrong changes nothing. */
export function watchFiles(controls: Controls, config: Config, log: Log): () => void {
  const reloadFixture = fixtureReloader(controls, config);
  const changedScenarios = changesIn(SCENARIOS);
  // A fixture may include those of the package, wherever it lies itself.
  const folders = new Set([FIXTURES, resolve(dirname(config.fixture))]);
  const stops = [
    ...Array.from(folders, (folder) => onChange(folder, () => void attempt(log, 'fixture', reloadFixture))),
    onChange(SCENARIOS, () => {
      for (const name of changedScenarios())
        void attempt(log, `scenario ${name}`, () => reloadScenario(name, controls));
    }),
  ];
  return () => stops.forEach((stop) => stop());
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

async function reloadScenario(name: string, { scenarios, simulator }: Controls): Promise<string | undefined> {
  const concerned = simulator.environments.list().filter(({ scenarios }) => scenarios.find(name));
  if (concerned.length === 0) return undefined;
  const { library } = await scenarios();
  const scenario = library.read(name);
  for (const environment of concerned) environment.loadScenario(scenario);
  return `scenario ${name} reloaded in ${concerned.map((environment) => environment.name).join(', ')}`;
}

/** Names of the files whose text is another than when this was last called. */
function changesIn(folder: string): () => string[] {
  const read = () =>
    new Map(readdirSync(folder).map((file) => [nameOf(file), readFileSync(join(folder, file), 'utf8')]));
  let known = read();
  return () => {
    const before = known;
    known = read();
    return [...known].filter(([name, text]) => before.get(name) !== text).map(([name]) => name);
  };
}

const nameOf = (file: string) => file.slice(0, file.length - extname(file).length);
