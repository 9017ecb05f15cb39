import type { Config } from '../start/config.ts';
import type { FixtureFolder } from '../fixtures/fixtures.ts';
import type { Log } from '@understudy/text/log';
import type { ScenarioCatalog } from '../scenarios/library.ts';
import { nextTurn, runInTurns } from '../scenarios/steps.ts';

/**
 * Warns of mistakes in files of the user's folders that nothing has loaded yet. They do not stop the start, because a test that
 * needs none of them can run.
 */
export async function warnOfBrokenFiles(
  { scenarioFolders, fixtureFolders }: Config,
  fixtures: FixtureFolder,
  scenarios: () => Promise<ScenarioCatalog>,
  { warn }: Log,
): Promise<void> {
  const broken = fixtureFolders.length > 0 ? await runInTurns(fixtures.brokenFiles()) : [];
  if (scenarioFolders.length > 0) broken.push(...(await brokenScenarios(await scenarios())));
  for (const message of broken) for (const line of message.split('\n')) warn(line);
}

async function brokenScenarios({ library, reader }: ScenarioCatalog): Promise<string[]> {
  const broken: string[] = [];
  for (const file of library.ownFiles()) {
    const message = reader.mistakesIn(file);
    if (message !== undefined) broken.push(message);
    await nextTurn();
  }
  return broken;
}
