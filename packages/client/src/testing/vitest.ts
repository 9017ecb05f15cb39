import { afterAll, beforeAll, test as base, type TestAPI, type TestContext as VitestContext } from 'vitest';
import { endTest, openSimulator, START_TIMEOUT } from './suite.ts';
import type { StartOptions, SuiteOptions, TestContext, Understudy } from './testing.ts';

export type { SuiteOptions, TestContext } from './testing.ts';

/**
 * A `test` of vitest whose function gets `env`, a new environment, and `sim`, the simulator of the worker. If a test fails,
 * its output has the calls that failed, and why, or all calls.
 *
 * @example const test = understudyTest({ fixture: 'small', clock: '2030-01-01T09:00:00Z' });
 */
export function understudyTest({ start, ...options }: SuiteOptions = {}): TestAPI<TestContext> {
  const simulator = startBeforeTests(start);
  const extended = base.extend<TestContext>({
    sim: [
      // oxlint-disable-next-line no-empty-pattern -- vitest requires a destructured parameter
      async ({}, use) => {
        await use(await simulator.open());
        await simulator.stop();
      },
      { scope: 'worker' },
    ],
    env: async ({ sim, task }, use) => {
      const env = await sim.environment(options);
      await use(env);
      const { state, errors } = task.result ?? {};
      const failure = errors?.[0]?.message;
      const ended = { test: nameOf(task), isFailed: state === 'fail', file: task.file.name, failure };
      const failed = await endTest(env, ended);
      if (failed) console.error(failed.report);
    },
  });
  return new Proxy(extended, {
    get: (target, name) => (simulator.expect(), Reflect.get(target, name)),
    apply: (target, _, words) => (simulator.expect(), Reflect.apply(target, undefined, words)),
  });
}

interface OwnSimulator {
  /** Says that the file has a test which needs the simulator. */
  expect: () => void;
  open: () => Promise<Understudy>;
  stop: () => Promise<void>;
}

/** Starts the simulator before the tests of the file, if one may need it: a fixture has no limit of its own. */
function startBeforeTests(start: StartOptions | undefined): OwnSimulator {
  let isExpected = false;
  let isUsed = false;
  let opened: Promise<Understudy> | undefined;
  const openOnce = () => (opened ??= openSimulator(start));
  const stop = async () => {
    const running = opened;
    opened = undefined;
    await (await running)?.stop();
  };
  beforeAll(async () => void (isExpected && (await openOnce())), START_TIMEOUT);
  // Without a test that used it, no fixture stops it. Files that share a worker share the fixture.
  afterAll(async () => void (isUsed || (await stop())), START_TIMEOUT);
  const open = () => ((isUsed = true), openOnce());
  return { expect: () => void (isExpected = true), open, stop };
}

/** As vitest prints it: `test/roles.test.ts > a role > is created`. */
function nameOf({ file, suite, name }: VitestContext['task']): string {
  const names = [name];
  for (let each = suite; each && each !== file; each = each.suite) names.unshift(each.name);
  return [file.name, ...names].join(' > ');
}

/**
 * A `test` of vitest with an environment.
 *
 * @example test('…', async ({ env }) => { await env.scenario('invite-expired'); });
 */
export const test: TestAPI<TestContext> = understudyTest();
