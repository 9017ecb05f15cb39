import { UsageError } from '@understudy/core/cli/usage-error';
import { Contract } from '@understudy/core/contract/contract';
import { readContract } from '@understudy/core/contract/documents';
import { createScenarioCatalog } from '@understudy/core/scenarios/library';
import { parseReference } from '@understudy/core/scenarios/path';
import type { Failure } from '../catalogue.ts';

/** Scenarios as failures: by name or file, with parameters. Each must have the parameter `operation`. Throws UsageError. */
export async function userFailures(references: readonly string[]): Promise<Failure[]> {
  if (references.length === 0) return [];
  const source = {
    contract: new Contract(readContract('openapi')),
    control: new Contract(readContract('control')),
  };
  const { library } = createScenarioCatalog(source);
  const known = library.available();
  return references.map((reference) => {
    const { name, params } = parseReference(reference);
    library.readNamed(reference); // says what is wrong with it
    const found = known.find((each) => each.name === name);
    if (!found?.params['operation'])
      throw new UsageError(
        `--scenario ${reference}: a scenario needs the parameter operation to become a failure of each operation`,
      );
    return {
      name,
      blames: 'service',
      why: found.description,
      kind: 'changed',
      at: ({ call, operation, nth }) =>
        call && nth === 0 ? { scenario: { name, params: { ...params, operation } } } : undefined,
    };
  });
}
