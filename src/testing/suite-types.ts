import type { StartOptions } from './start-options.ts';
import type { EnvironmentOptions, TestEnvironment, Understudy } from './understudy.ts';

/** What the environment of each test starts with. */
export type TestOptions = Pick<EnvironmentOptions, 'fixture' | 'seed' | 'clock' | 'scenarios' | 'strict'>;

export interface SuiteOptions extends TestOptions {
  /** How to start the simulator; ignored if `UNDERSTUDY_URL` names a running one. */
  start?: StartOptions;
}

/** What a test gets. */
export interface TestContext {
  /** The environment of this test. It is dropped at the end of the test. */
  env: TestEnvironment;
  /** The simulator, which tests of the same worker share. */
  sim: Understudy;
}
