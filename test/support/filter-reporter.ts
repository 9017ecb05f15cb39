import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Fails the run if `-t` matches no test: the filter is misspelt, or the test is in a file that did not run. */
export class FilterReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const pattern = this.#vitest?.config.testNamePattern;
    if (!pattern || modules.length === 0) return;
    const hasRun = modules.some(({ children }) =>
      [...children.allTests()].some((test) => test.result().state !== 'skipped'),
    );
    if (hasRun) return;
    this.#vitest?.logger.error(`no test has a title that matches ${pattern}`);
    process.exitCode = 1;
  }
}
