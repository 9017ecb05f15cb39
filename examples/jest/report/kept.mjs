import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startUnderstudy } from 'understudy-server/testing';

const program = createRequire(import.meta.url).resolve('jest/bin/jest');
const folder = path.join(import.meta.dirname, '..');

await test('a test that fails keeps its environment, and prints where its calls are', async (context) => {
  const sim = await startUnderstudy();
  context.after(() => sim.stop());
  const env = { ...process.env, UNDERSTUDY_URL: sim.url, UNDERSTUDY_KEEP: 'failed', NO_COLOR: '1' };
  const args = ['--testMatch', '**/report/*.spec.cjs'];
  const child = spawn(process.execPath, [program, ...args], { env, cwd: folder });

  const printed = (await Promise.all([text(child.stdout), text(child.stderr)])).join('');

  const [kept, ...others] = await sim.control.environments.kept();
  assert.deepEqual(others, []);
  assert.equal(kept.kept.test, `${path.join('report', 'failing.spec.cjs')} > a role is created`);
  assert.equal(kept.kept.outcome, 'failed');
  assert.match(printed, new RegExp(`environment ${kept.name}: its only call succeeded`));
  assert.ok(printed.includes(`  kept: ${sim.url}/_control/#/${kept.name}/requests`), printed);
  assert.equal((await sim.control.environments.list()).length, 2);
});
