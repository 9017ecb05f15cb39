import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

/** The suite names the folder of a scenario's results after the scenario and the time. */
const FOLDER = /^server-(?<scenario>.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/;

/**
 * A sentence for each entry of the list that has not failed. The suite itself says nothing of an entry whose scenario or
 * check has not run, such as one with a name that a new version of the suite has changed.
 */
export function passedEntries(list, results) {
  const failed = new Set(readdirSync(results).flatMap((folder) => failedIn(join(results, folder))));
  const { server: entries } = parse(readFileSync(list, 'utf8'));
  return entries
    .filter((entry) => !failed.has(entry))
    .map((entry) => `${basename(list)}: ${entry} did not fail. Remove this entry from the file.`);
}

/** The checks of a scenario that failed or warned, as entries of the list. */
function failedIn(folder) {
  const { scenario } = FOLDER.exec(basename(folder))?.groups ?? {};
  const checks = JSON.parse(readFileSync(join(folder, 'checks.json'), 'utf8'));
  return checks
    .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .flatMap(({ id }) => [scenario, `${scenario}:${id}`]);
}
