import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readReport } from '../src/report/report.ts';
import { sweepWith } from './support/sweeping.ts';

it('each test of a node:test file is a test of its own, and a failure runs only those that reach it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-sweep-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [report, log] = [join(folder, 'sweep.json'), join(folder, 'tests.log')];

  await sweepWith(
    {
      command: [process.execPath, '--test', 'packages/sweep/test/support/organizations.mjs'],
      failure: ['internal-error'],
      operation: 'OrganizationService_*',
      jobs: 1,
      report: [report],
    },
    { TEST_LOG: log },
  );

  const { tests, results } = readReport(report);
  expect(tests).toBe(2);
  expect(results.map(({ operation, verdicts }) => [operation, verdicts.map(({ test }) => test)])).toEqual([
    ['OrganizationService_GetOrganization', ['organizations > are read']],
    ['OrganizationService_ListOrganization', ['organizations > are listed']],
  ]);
  // All of them once; then both failures at once; what calls nothing does not run again.
  expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual([
    'are read',
    'are listed',
    'needs no call',
    'are read',
    'are listed',
  ]);
});
