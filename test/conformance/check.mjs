import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { checkAuthorization } from './authorization.mjs';
import { passedEntries } from './expected-failures.mjs';

const PROGRAM = 'node_modules/understudy-server/dist/understudy.js';
const SUITE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
/** The instance of the fixture `mcp-conformance`. */
const SERVER = '/mcp/v1/c0f0a1b2-3d4e-4f5a-8b6c-7d8e9f0a1b2c';
/** The versions of the specification whose requirements are checked. */
const VERSIONS = ['2025-11-25', '2026-07-28'];

const flags = ['--fixture', 'mcp-conformance', '--memory', '--port', '0', '--json', '--stop-with-stdin'];
const understudy = spawn(process.execPath, [PROGRAM, 'serve', ...flags, '--log-level', 'warn'], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const { value: line } = await createInterface(understudy.stdout)[Symbol.asyncIterator]().next();
const { url } = JSON.parse(line);
const results = mkdtempSync(join(tmpdir(), 'conformance-'));
const failed = VERSIONS.filter((version) => !check(version));
const authorization = await checkAuthorization(url);
understudy.kill();
rmSync(results, { recursive: true });
process.exitCode = failed.length > 0 ? 1 : authorization;

/** Whether exactly the checks fail that the list of this version has. */
function check(version) {
  const list = `expected-failures-${version}.yaml`;
  const folder = join(results, version);
  const options = ['--requirements', version, '--expected-failures', list, '--output-dir', folder];
  const args = [SUITE, 'server', '--url', `${url}${SERVER}`, ...options];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  const passed = passedEntries(list, folder);
  for (const sentence of passed) console.error(sentence);
  return status === 0 && passed.length === 0;
}
