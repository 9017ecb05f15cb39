// Checks the clients in other languages: builds each one and runs its linters and its tests against the built service.
// Each folder of clients/ has an executable `check.sh`, which starts the service itself.
//
//   node scripts/test-clients.mjs         every language
//   node scripts/test-clients.mjs python  this one
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runPrograms } from './language-programs.mjs';

const ROOT = join(import.meta.dirname, '..');
const PROGRAM = join(ROOT, 'dist', 'understudy.js');

if (!existsSync(PROGRAM)) {
  console.error(`${PROGRAM} is missing: build it with npm run build`);
  process.exit(1);
}
// UNDERSTUDY_ variables of the shell are meant for other services.
for (const name of Object.keys(process.env)) if (name.startsWith('UNDERSTUDY_')) delete process.env[name];

await runPrograms({
  folder: join(ROOT, 'clients'),
  files: ['check.sh'],
  wanted: process.argv.slice(2),
  prepare: () => ({ variables: {}, stop() {} }),
});
