import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startUnderstudy } from 'understudy-server/testing';

const program = createRequire(import.meta.url).resolve('@playwright/test/cli');

await test('a test joins UNDERSTUDY_URL; if it fails, it keeps its environment and attaches its calls', async (context) => {
  const sim = await startUnderstudy();
  context.after(() => sim.stop());
  const env = { ...process.env, UNDERSTUDY_URL: sim.url, UNDERSTUDY_KEEP: 'failed' };
  const child = spawn(process.execPath, [program, 'test', '-c', import.meta.dirname], { env });

  const { suites } = JSON.parse(await text(child.stdout));

  const specs = suites.flatMap((suite) => suite.specs);
  const results = specs.map(({ title, ok }) => [title, ok]);
  assert.deepEqual(results, [
    ['passes', true],
    ['fails', false],
  ]);
  const [passed, failed] = specs.map(({ tests }) =>
    tests[0].results[0].attachments.filter(({ name }) => name === 'understudy'),
  );
  assert.deepEqual(passed, []);
  const [kept, ...others] = await sim.control.environments.kept('failing.spec fails');
  assert.deepEqual([kept.kept.test, others], ['failing.spec.ts > fails', []]);
  const [title, call, place] = Buffer.from(failed[0].body, 'base64').toString().split('\n');
  assert.match(title, /1 of 1 calls failed /);
  assert.match(call, /^ {2}429 POST \/oauth\/token .* Rule 0 of scenario rate-limit-always answered 429.*$/);
  assert.equal(place, `  kept: ${sim.url}/_control/#/${kept.name}/requests`);
  const bundle = specs[1].tests[0].results[0].attachments.find(({ name }) => name === 'understudy-bundle');
  // Playwright copies the file to its results.
  assert.match(bundle.path, /understudy-bundle-\w+\.understudy$/);
  assert.ok(statSync(bundle.path).size > 0);
  const names = (await sim.control.environments.list()).map(({ name }) => name);
  assert.deepEqual(names, ['default', kept.name]);
});
