import { watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { existsSync } from 'node:fs';
import type { Config } from '../config.ts';
import type { Controls } from '../control/serve.ts';
import { DEFAULT_ENVIRONMENT } from '../environments/registry.ts';
import type { Log } from '../log.ts';
import { PACKAGE_ROOT } from '../package-root.ts';

/** Reads fixtures and loaded scenarios again when their files change. A file that is wrong changes nothing. */
export function watchFiles(controls: Controls, config: Config, log: Log): () => void {
  const fixtures = existsSync(config.fixture) ? dirname(config.fixture) : join(PACKAGE_ROOT, 'fixtures');
  const watchers = [
    onChange(fixtures, () => attempt(log, 'fixture', () => reloadFixture(controls))),
    onChange(join(PACKAGE_ROOT, 'scenarios'), () =>
      attempt(log, 'scenarios', () => reloadScenarios(controls)),
    ),
  ];
  return () => watchers.forEach((stop) => stop());
}

function onChange(folder: string, reload: () => void): () => void {
  let waiting = false;
  const watcher = watch(folder, () => {
    // Editors write a file in several steps: look once all of them are done.
    if (!waiting) setImmediate(() => ((waiting = false), reload()));
    waiting = true;
  });
  return () => watcher.close();
}

function attempt(log: Log, what: string, reload: () => string): void {
  try {
    log.info(reload());
  } catch (thrown) {
    log.warn(`${what} not reloaded: ${(thrown as Error).message}`);
  }
}

function reloadFixture({ fixtures, simulator }: Controls): string {
  fixtures.forget();
  simulator.environments.get(DEFAULT_ENVIRONMENT).useFixture(fixtures.seed());
  return 'fixture reloaded: environment default starts again with it';
}

function reloadScenarios({ scenarios: { library }, simulator }: Controls): string {
  const available = new Set(library.available().map(({ name }) => name));
  const reloaded = simulator.environments.list().flatMap((environment) =>
    environment.scenarios
      .list()
      .filter(({ name }) => available.has(name))
      .map(({ name }) => environment.loadScenario(library.read(name)).name),
  );
  return reloaded.length === 0
    ? 'scenario files changed, none of them is loaded'
    : `reloaded: ${reloaded.join(', ')}`;
}
