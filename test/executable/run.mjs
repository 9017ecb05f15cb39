// Makes the single executable of this platform, and checks that it works without a Node or a package beside it.
//
//   node test/executable/run.mjs
import { ScalekitClient } from '@scalekit-sdk/node';
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { canBuild } from '../../scripts/executable-node.mjs';

/** The package of Node for this platform. */
const BUILDER = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const isWindows = process.platform === 'win32';

const work = mkdtempSync(join(tmpdir(), 'understudy-executable-test-'));
after(() => rmSync(work, { recursive: true, force: true }));
const cache = join(work, 'cache');
const program = join(work, isWindows ? 'understudy.exe' : 'understudy');
execFileSync(process.execPath, [resolve('scripts/executable.mjs'), program], {
  stdio: 'inherit',
  env: { ...process.env, NODE_FOR_EXECUTABLE: builder() },
});

/** This Node, or one from npm where this one is too old. */
function builder() {
  if (canBuild(process.versions.node)) return process.execPath;
  const folder = join(work, 'builder');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{}');
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', `${BUILDER}@26`], {
    cwd: folder,
    stdio: 'inherit',
  });
  return join(folder, 'node_modules', BUILDER, 'bin', isWindows ? 'node.exe' : 'node');
}

/** No Node is on the PATH, and the caches of the user are empty at first. */
const variables = (more = {}) => ({
  PATH: '',
  LOCALAPPDATA: cache,
  XDG_CACHE_HOME: cache,
  HOME: work,
  ...more,
});

const run = (args, more) =>
  execFileSync(program, args, { encoding: 'utf8', cwd: work, env: variables(more) });

async function serve(args = [], more = {}) {
  const words = ['serve', '--memory', '--json', '--port', '0', ...args];
  const child = spawn(program, words, {
    cwd: work,
    env: variables(more),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { ...JSON.parse(line), stop };
}

const text = async (url) => {
  const answer = await fetch(url);
  assert.equal(answer.status, 200, url);
  return answer.text();
};

void test('prints its version', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  assert.ok(run(['--version']).includes(version));
});

void test('serves RPCs of the SDK, the dashboard with its script, and metrics', async () => {
  const service = await serve();
  try {
    const credentials = ['skc_1000000000000000001', 'test_understudy_default_secret'];
    const client = new ScalekitClient(service.url, ...credentials);
    const { organizations } = await client.organization.listOrganization({ pageSize: 2 });
    assert.equal(organizations.length, 2);
    const page = await text(`${service.url}/_control/`);
    const script = /src="([^"]+\.js)"/.exec(page)[1];
    assert.ok((await text(new URL(script, `${service.url}/_control/`))).length > 1000);
    assert.match(await text(`${service.url}/_control/metrics`), /understudy_calls_total/);
  } finally {
    await service.stop();
  }
});

void test('loads a scenario from a file', async () => {
  const file = join(work, 'own.yaml');
  writeFileSync(file, 'name: own\nrules: [{ on: OAuth_Token, reply: { error: unavailable } }]\n');
  const service = await serve(['--scenario', file]);
  try {
    const answer = await fetch(`${service.url}/oauth/token`, { method: 'POST', body: new URLSearchParams() });
    assert.equal(answer.status, 503);
  } finally {
    await service.stop();
  }
});

void test('unpacks the package once, with the licence of Node', () => {
  run(['--version']);
  const base = process.platform === 'darwin' ? join(work, 'Library', 'Caches') : cache;
  const unpacked = readdirSync(join(base, 'understudy'));
  assert.equal(unpacked.length, 1);
  const files = readdirSync(join(base, 'understudy', unpacked[0], 'dist'));
  assert.ok(files.includes('NODE-LICENSE.txt') && files.includes('THIRD-PARTY-NOTICES.txt'), files.join(' '));
});

void test(
  'works where it may not write to the caches',
  { skip: isWindows || process.platform === 'darwin' },
  () => {
    const none = join(work, 'none');
    writeFileSync(none, 'a file where the folder would be');
    assert.ok(run(['--version'], { XDG_CACHE_HOME: none }).length > 0);
  },
);
