import path from 'node:path';
import { afterAll, beforeAll, expect, test as base, type Variant } from '@jest/globals';
import { messageOf } from './bundles.ts';
import { endTest, openSimulator, START_TIMEOUT } from './suite.ts';
import type { SuiteOptions, TestContext, Understudy } from './testing.ts';

export type { SuiteOptions, TestContext } from './testing.ts';

type Run<Row extends readonly unknown[]> = (...row: [...Row, TestContext]) => unknown;

/** A row that is an array is passed as several arguments. */
type RowOf<T> = T extends readonly unknown[] ? T : [T];

export interface DefineTest {
  (name: string, run: Run<[]>, timeout?: number): void;
  /** The function gets the values of a row, then the context. */
  each<const T>(table: readonly T[]): (name: string, run: Run<RowOf<T>>, timeout?: number) => void;
}

export interface UnderstudyTest extends DefineTest {
  readonly only: DefineTest;
  readonly skip: DefineTest;
  readonly failing: DefineTest;
  todo(name: string): void;
}

/**
 * A `test` of jest whose function gets `env`, a new environment, and `sim`, the simulator of the test file. If a test fails,
 * the calls that failed are printed, and why, or all calls.
 *
 * @example const test = understudyTest({ fixture: 'small', clock: '2030-01-01T09:00:00Z' });
 */
export function understudyTest(options: SuiteOptions = {}): UnderstudyTest {
  const environments = environmentsOf(options);
  const { only, skip, failing } = base;
  return Object.assign(define(base, environments), {
    only: define(only, environments),
    skip: define(skip, environments),
    failing: define(failing, environments),
    todo: (name: string) => base.todo(name),
  });
}

interface Environments {
  /** Says that the file has a test which needs an environment. */
  expect: () => void;
  /** Runs a test with a new environment. */
  within: (run: (context: TestContext) => unknown) => Promise<void>;
}

/** Starts the simulator before the tests of the file, if one needs it. */
function environmentsOf({ start, ...options }: SuiteOptions): Environments {
  let isExpected = false;
  let opened: Promise<Understudy> | undefined;
  const open = () => (opened ??= openSimulator(start));
  beforeAll(async () => void (isExpected && (await open())), START_TIMEOUT);
  afterAll(async () => (await opened)?.stop());
  const within: Environments['within'] = async (run) => {
    const sim = await open();
    const env = await sim.environment(options);
    const test = nameOfTest();
    try {
      await run({ env, sim });
    } catch (thrown) {
      const ended = { test, isFailed: true, file: fileOfTest(), failure: messageOf(thrown) };
      console.error((await endTest(env, ended))?.report);
      throw thrown;
    }
    await endTest(env, { test, isFailed: false });
  };
  return { expect: () => void (isExpected = true), within };
}

const fileOfTest = (): string => path.relative('', expect.getState().testPath ?? '');

/** The test that runs: `test/roles.test.js > a role is created`. */
const nameOfTest = (): string => `${fileOfTest()} > ${expect.getState().currentTestName ?? ''}`;

function define(variant: Variant, { expect, within }: Environments): DefineTest {
  const each =
    (table: readonly unknown[]) =>
    (name: string, run: Run<never>, timeout?: number): void => {
      expect();
      variant.each(table)(
        name,
        (...row) => within((context) => run(...([...row, context] as never))),
        timeout,
      );
    };
  const plain = (name: string, run: Run<[]>, timeout?: number): void => {
    expect();
    variant(name, () => within(run), timeout);
  };
  return Object.assign(plain, { each });
}

/**
 * A `test` of jest with an environment.
 *
 * @example test('…', async ({ env }) => { await env.scenario('invite-expired'); });
 */
export const test: UnderstudyTest = understudyTest();
