import { shareSimulator } from './testing.ts';

/** For `globalSetup` in the configuration of vitest, jest or Playwright: all test files share one simulator. */
const shareOne = (): Promise<() => Promise<void>> => shareSimulator();

// oxlint-disable-next-line import/no-default-export -- test runners read the default export
export default shareOne;
