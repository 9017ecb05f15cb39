import { afterAll, test as base, type Variant } from '@jest/globals';
import { openSimulator, reportOf } from './suite.ts';
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
 * the calls that failed are printed, and why.
 *
 * @example const test = understudyTest({ fixture: 'small', clock: '2030-01-01T09:00:00Z' });
 */
export function understudyTest(options: SuiteOptions = {}): UnderstudyTest {
  const inEnvironment = environmentsOf(options);
  const { only, skip, failing } = base;
  return Object.assign(define(base, inEnvironment), {
    only: define(only, inEnvironment),
    skip: define(skip, inEnvironment),
    failing: define(failing, inEnvironment),
    todo: (name: string) => base.todo(name),
  });
}

type InEnvironment = (run: (context: TestContext) => unknown) => Promise<void>;

/** The simulator starts with the first test that runs. */
function environmentsOf({ start, ...options }: SuiteOptions): InEnvironment {
  let opened: Promise<Understudy> | undefined;
  afterAll(async () => (await opened)?.stop());
  return async (run) => {
    const sim = await (opened ??= openSimulator(start));
    const env = await sim.environment(options);
    try {
      await run({ env, sim });
    } catch (thrown) {
      console.error(await reportOf(env));
      throw thrown;
    } finally {
      await env.drop();
    }
  };
}

function define(variant: Variant, inEnvironment: InEnvironment): DefineTest {
  const each =
    (table: readonly unknown[]) =>
    (name: string, run: Run<never>, timeout?: number): void =>
      variant.each(table)(
        name,
        (...row) => inEnvironment((context) => run(...([...row, context] as never))),
        timeout,
      );
  const plain = (name: string, run: Run<[]>, timeout?: number): void =>
    variant(name, () => inEnvironment(run), timeout);
  return Object.assign(plain, { each });
}

/**
 * A `test` of jest with an environment.
 *
 * @example test('…', async ({ env }) => { await env.scenario('invite-expired'); });
 */
export const test: UnderstudyTest = understudyTest();
