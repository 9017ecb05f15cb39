import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { startUnderstudy } from 'understudy-server/testing';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

interface Report {
  suites: { specs: { title: string; ok: boolean; tests: { results: Result[] }[] }[] }[];
}
interface Result {
  attachments: { name: string; body?: string }[];
}

it('a test of Playwright joins UNDERSTUDY_URL, and attaches the calls that failed if it fails', async () => {
  const sim = await startUnderstudy();
  const program = join(ROOT, 'node_modules/@playwright/test/cli.js');
  const env = { ...process.env, UNDERSTUDY_URL: sim.url };
  const child = spawn(process.execPath, [program, 'test', '-c', 'test/testing/playwright'], {
    cwd: ROOT,
    env,
  });

  const { suites } = JSON.parse(await text(child.stdout)) as Report;

  const specs = suites.flatMap((suite) => suite.specs);
  expect(specs.map(({ title, ok }) => [title, ok])).toEqual([
    ['passes', true],
    ['fails', false],
  ]);
  const [passed, failed] = specs.map(({ tests }) =>
    tests[0]!.results[0]!.attachments.filter(({ name }) => name === 'understudy'),
  );
  expect(passed).toEqual([]);
  expect(Buffer.from(failed![0]!.body!, 'base64').toString()).toMatch(
    /1 of 1 calls failed .*\n {2}429 POST \/oauth\/token .*rate-limit-always, rule 0: applied$/,
  );
  expect((await sim.control.environments.list()).map(({ name }) => name)).toEqual(['default']);
  await sim.stop();
});
