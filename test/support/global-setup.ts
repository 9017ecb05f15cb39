import { existsSync, readFileSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { contractDigest, DIGEST_FILE } from '../../scripts/contract-digest.mjs';

let project: TestProject;

/** Fails before the first test if the generated contract is older than its sources. */
export function setup(started: TestProject): void {
  project = started;
  if (existsSync(DIGEST_FILE) && readFileSync(DIGEST_FILE, 'utf8') === contractDigest()) return;
  throw new Error('openapi/ or catalogue/ has changed since the contract was generated: npm run generate');
}

/** Fails if `-t` matches no test: the filter is misspelt, or the test is in a file that did not run. */
export function teardown(): void {
  const { vitest } = project;
  const pattern = vitest.config.testNamePattern;
  const modules = vitest.state.getTestModules();
  if (!pattern || modules.length === 0) return;
  const hasRun = modules.some(({ children }) =>
    [...children.allTests()].some((test) => test.result().state !== 'skipped'),
  );
  if (hasRun || process.exitCode === 1) return;
  vitest.logger.error(`no test has a title that matches ${pattern}`);
  process.exitCode = 1;
}
