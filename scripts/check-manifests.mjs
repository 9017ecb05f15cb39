// Checks the example for Kubernetes against the schemas of its API, which a package for Python brings along.
import { join } from 'node:path';
import { runPrograms } from './language-programs.mjs';

await runPrograms({
  folder: join(import.meta.dirname, '..', 'test', 'deploy'),
  files: ['check.sh'],
  wanted: ['kubernetes'],
  prepare: () => ({ variables: {}, stop() {} }),
});
