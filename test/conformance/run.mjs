// Runs the official conformance suites of the Model Context Protocol against the MCP server of an instance, and against
// the authorization server of a protected resource.
// The suites need Node 22 or later.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

if (Number(process.versions.node.split('.')[0]) < 22) {
  console.log(`skipped: the conformance suite needs Node 22 or later, this is ${process.version}`);
  process.exit(0);
}
const install = join(import.meta.dirname, '..', '..', 'scripts', 'outside-packages.mjs');
const { status } = spawnSync(process.execPath, [install, import.meta.dirname], { stdio: 'inherit' });
process.exit(status ?? 1);
