import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { startUnderstudy, type Understudy } from 'understudy-server/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');
const SPECS = path.join(import.meta.dirname, 'ended');
const RUNNER = path.join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');

async function startService(): Promise<Understudy> {
  const sim = await startUnderstudy();
  onTestFinished(() => sim.stop());
  return sim;
}

/** Runs tests of which most fail, and resolves to what they have printed. */
async function runTests(variables: Record<string, string>): Promise<string> {
  const env = {
    ...process.env,
    UNDERSTUDY_URL: '',
    UNDERSTUDY_KEEP: '',
    UNDERSTUDY_BUNDLES: 'off',
    NO_COLOR: '1',
    ...variables,
  };
  const child = spawn(process.execPath, [RUNNER, 'run', '--config', path.join(SPECS, 'vitest.config.ts')], {
    env,
    cwd: path.join(SPECS, '../../..'),
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return out + err;
}

const FILE = 'test/testing/ended/ended.spec.ts';
const keptIn = async ({ control }: Understudy, words = '') =>
  (await control.environments.kept(words)).map(({ kept: { test, outcome } }) => ({ test, outcome }));

const HINT = 'for more: npx understudy-server explain --environment env-';

describe('a test of vitest that fails at a service that runs longer', () => {
  it('keeps its environment, and prints where its calls are', async () => {
    const sim = await startService();

    const printed = await runTests({ UNDERSTUDY_URL: sim.url, UNDERSTUDY_KEEP: 'failed' });

    expect((await keptIn(sim)).toReversed()).toEqual([
      { test: `${FILE} > a role > is created`, outcome: 'failed' },
      { test: `${FILE} > a role > is missing`, outcome: 'failed' },
    ]);
    const [kept] = await sim.control.environments.kept('role missing');
    const calls = await sim.control.environment(kept!.name).requests.list();
    expect(calls).toMatchObject([{ operation: 'OAuth_Token', status: 429 }]);
    expect(printed).toMatch(
      new RegExp(
        `Understudy, environment ${kept!.name}: 1 of 1 calls failed or broke the contract\n` +
          '  429 POST /oauth/token .*\n' +
          `  kept: ${sim.url}/_control/#/${kept!.name}/requests\n`,
      ),
    );
    // Nothing but these is left.
    expect(await sim.control.environments.list()).toHaveLength(3);
  });

  it('lists its calls if all of them have succeeded', async () => {
    const sim = await startService();

    const printed = await runTests({ UNDERSTUDY_URL: sim.url });

    expect(printed).toMatch(
      new RegExp(
        `Understudy, environment env-\\d+: its only call succeeded\n  200 POST /oauth/token .* req_1\n  ${HINT}\\d+\n`,
      ),
    );
    expect(await sim.control.environments.list()).toHaveLength(1);
  });

  it('keeps the environments of tests that pass, too, with UNDERSTUDY_KEEP=all', async () => {
    const sim = await startService();

    await runTests({ UNDERSTUDY_URL: sim.url, UNDERSTUDY_KEEP: 'all' });

    expect(await keptIn(sim, 'passes')).toEqual([{ test: `${FILE} > passes`, outcome: 'passed' }]);
    expect(await keptIn(sim)).toHaveLength(3);
  });

  it('says so before any test if UNDERSTUDY_KEEP has another value', async () => {
    const sim = await startService();

    const printed = await runTests({ UNDERSTUDY_URL: sim.url, UNDERSTUDY_KEEP: 'yes' });

    expect(printed).toContain('UNDERSTUDY_KEEP must be failed or all, not yes');
  });
});

describe('a test of vitest that fails at a service that ends with the tests', () => {
  it('names the command that says how to look at it afterwards', async () => {
    const printed = await runTests({ UNDERSTUDY_KEEP: 'failed' });

    expect(printed).toContain(`\n  ${HINT}`);
    expect(printed).not.toContain('kept: ');
  });
});

describe('withEnvironment', () => {
  const fail = () => {
    throw new Error('expected');
  };

  it('keeps the environment if the function fails, under the name that it is given', async () => {
    const sim = await startService();
    process.env['UNDERSTUDY_KEEP'] = 'failed';
    onTestFinished(() => void delete process.env['UNDERSTUDY_KEEP']);

    await expect(sim.withEnvironment(fail, { test: 'roles.test.mjs > is created' })).rejects.toThrow(
      'expected',
    );
    await expect(sim.withEnvironment(fail)).rejects.toThrow('expected');
    await sim.withEnvironment(() => undefined, { test: 'passes' });

    const [latest, first] = await keptIn(sim);
    expect(first).toEqual({ test: 'roles.test.mjs > is created', outcome: 'failed' });
    expect(latest).toMatchObject({ test: path.relative('', process.argv[1]!) });
    expect(await sim.control.environments.list()).toHaveLength(3);
  });

  it('refuses an option that it does not have', async () => {
    const sim = await startService();

    await expect(sim.withEnvironment(fail, { name: 'roles' } as object)).rejects.toThrow('withEnvironment');
  });
});

describe('the run of a test that fails', () => {
  it('is in a file, which the output names, and can be replayed twenty times', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'understudy-bundles-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));

    const printed = await runTests({ UNDERSTUDY_BUNDLES: folder });

    const names = ['a-role-is-created', 'a-role-is-missing'].map(
      (name) => `test-testing-ended-ended.spec.ts-${name}.understudy`,
    );
    expect(readdirSync(folder).toSorted()).toEqual(names);
    for (const name of names)
      expect(printed).toContain(`the run: npx understudy-server open ${path.join(folder, name)}\n`);
    for (let count = 0; count < 20; count += 1) {
      const program = path.join(ROOT, 'dist/understudy.js');
      const child = spawn(process.execPath, [program, 'replay', names[count % 2]!], { cwd: folder });
      expect(await text(child.stdout)).toBe('equal: 1 answer is the same\n');
    }
  });
});
