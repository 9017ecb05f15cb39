import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findingsOf, readReport } from '../src/report/report.ts';
import { sweepWith } from './support/sweeping.ts';

const COMMAND = ['npx', 'vitest', 'run', '--root', 'examples/sweep'];
/** One failure for each mistake, and two that the example survives: the whole catalogue takes minutes, and finds no other. */
const FAILURES = [
  'answer-lost',
  'more-pages',
  'rate-limited',
  'slow',
  'token-expired',
  'unavailable',
  'unknown-value',
  'webhook-badly-signed',
  'webhook-twice',
];
/** Only a machine that hangs needs so long. */
const TIMEOUT = 1_800_000;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'understudy-sweep-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

const faultsIn = (file: string) =>
  findingsOf(readReport(file))
    .filter(({ kind }) => kind === 'fault')
    .map(({ operation, verdict }) => `${operation}: ${verdict}`)
    .toSorted();

describe('the example of a help desk', () => {
  it(
    'has seven mistakes, and all of them are found',
    async () => {
      const [json, html, xml] = ['report.json', 'report.html', 'report.xml'].map((name) =>
        join(folder(), name),
      ) as [string, string, string];

      const { hasFailed, out } = await sweepWith(
        { command: COMMAND, failure: FAILURES, report: [json, html, xml, 'github'] },
        { HELP_DESK: 'careless' },
      );

      expect(faultsIn(json)).toEqual([
        'ConnectedAccountService_GetConnectedAccount: took it for success',
        'DomainService_ListDomains: hung',
        'OrganizationService_CreateOrganization: wrote twice',
        'OrganizationService_GetOrganization: gave up',
        'OrganizationService_ListOrganization: read one page',
        'OrganizationService_UpdateOrganization: kept an expired token',
        'webhook.organization.created: wrote twice',
      ]);
      expect(hasFailed).toBe(true);
      expect(out.match(/^::error /gm)).toHaveLength(7);
      expect(readFileSync(html, 'utf8')).toContain('kept an expired token');
      expect(readFileSync(html, 'utf8')).toContain('(credentials): access tokens expire');
      expect(readFileSync(xml, 'utf8')).toContain('<failure type="gave up"');
    },
    TIMEOUT,
  );

  it(
    'has none of them once it is corrected',
    async () => {
      const json = join(folder(), 'report.json');

      const { hasFailed } = await sweepWith(
        { command: COMMAND, failure: FAILURES, report: [json] },
        { HELP_DESK: 'careful' },
      );

      expect(faultsIn(json)).toEqual([]);
      expect(hasFailed).toBe(false);
    },
    TIMEOUT,
  );
});

describe('a sweep', () => {
  it(
    'counts no fault that a line accepts or the baseline has, and runs no case twice',
    async () => {
      const at = folder();
      const [before, json, accept] = [
        join(at, 'before.json'),
        join(at, 'after.json'),
        join(at, 'sweep.accept'),
      ];
      const of = { command: COMMAND, failure: ['rate-limited', 'more-pages'] };
      const first = await sweepWith({ ...of, report: [before], operation: 'OrganizationService_*' });
      writeFileSync(accept, '*_ListOrganization more-pages # customers are few\n');

      const again = await sweepWith({
        ...of,
        report: [json],
        operation: 'OrganizationService_*',
        resume: before,
        accept,
        baseline: before,
      });

      expect(first.hasFailed).toBe(true);
      expect(again.err).toMatch(/(\d+) cases to run, \1 of them done before/);
      expect(again.hasFailed).toBe(false);
      expect(findingsOf(readReport(json)).map(({ kind, operation }) => [kind, operation])).toEqual([
        ['known', 'OrganizationService_GetOrganization'],
        ['accepted', 'OrganizationService_ListOrganization'],
      ]);
    },
    TIMEOUT,
  );
});
