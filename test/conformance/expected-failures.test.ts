import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../support/process.ts';
import { passedEntries } from './expected-failures.mjs';

it('names the entries of the list of expected failures that did not fail, and the list', () => {
  const folder = makeFolder();
  const list = join(folder, 'expected-failures-2030-01-01.yaml');
  const entries = ['a-b:fails', 'a-b:warns', 'a-b:passes', 'a-b:was-renamed', 'c', 'd', 'e:fails'];
  writeFileSync(list, `server:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`);
  const results = join(folder, 'results');
  const checks = { fails: 'FAILURE', warns: 'WARNING', passes: 'SUCCESS', skips: 'SKIPPED' };
  for (const [scenario, ids] of Object.entries({
    'a-b': ['fails', 'warns', 'passes'],
    c: ['fails'],
    d: ['skips'],
  })) {
    const at = join(results, `server-${scenario}-2030-01-01T06-16-20-102Z`);
    mkdirSync(at, { recursive: true });
    const found = ids.map((id) => ({ id, status: checks[id as keyof typeof checks] }));
    writeFileSync(join(at, 'checks.json'), JSON.stringify(found));
  }

  const sentences = passedEntries(list, results);

  expect(sentences).toEqual(
    ['a-b:passes', 'a-b:was-renamed', 'd', 'e:fails'].map(
      (entry) => `expected-failures-2030-01-01.yaml: ${entry} did not fail. Remove this entry from the file.`,
    ),
  );
});
