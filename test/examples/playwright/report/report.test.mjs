import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startUnderstudy } from 'understudy-server/testing';

const program = createRequire(import.meta.url).resolve('@playwright/test/cli');

await test('a test joins UNDERSTUDY_URL, and attaches the calls that failed if it fails', async (context) => {
  const sim = await startUnderstudy();
  context.after(() => sim.stop());
  const env = { ...process.env, UNDERSTUDY_URL: sim.url };
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
  assert.match(
    Buffer.from(failed[0].body, 'base64').toString(),
    /1 of 1 calls failed .*\n {2}429 POST \/oauth\/token .*rate-limit-always, rules\[0\]: applied$/,
  );
  const names = (await sim.control.environments.list()).map(({ name }) => name);
  assert.deepEqual(names, ['default']);
});
