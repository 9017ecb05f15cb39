import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { writeRunReports } from '../../src/cli/report-files.ts';
import { emptyComparison, type Finding } from '@understudy/evidence/drift/difference';
import { driftPage } from '@understudy/evidence/drift/drift-page';
import { openPort } from '../support/port.ts';
import { restOf } from './support/callers.ts';
import { flawsOf } from './support/looks.ts';
import { openWindow } from './support/stage.ts';

/** axe-core looks into files, too, but their policy allows no script. */
const WINDOW = { bypassCSP: true };

/** A service that has refused a call, answered one out of contract, and never applied a rule. */
async function reported(file: string): Promise<string> {
  const { port, understudy } = await openPort({ report: [file] });
  const issuer = `http://localhost:${port}`;
  const load = (name: string) =>
    fetch(`${issuer}/_control/v1/scenarios`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });
  await load('rate-limit-once');
  const call = await restOf({ issuer } as Parameters<typeof restOf>[0]);
  expect(await call('/api/v1/organizations')).toBe(429);
  expect(await call('/api/v1/organizations', { method: 'POST', body: { colour: 'blue' } })).toBe(400);
  expect(await call('/api/v1/organizations')).toBe(200);
  await load('webhook-wrong-signature');
  expect(
    writeRunReports({ report: [file], stepSummary: undefined }, understudy.controls, understudy.recorder!),
  ).toEqual([]);
  return issuer;
}

const finding = (change: Partial<Finding>): Finding => ({
  subject: 'OrganizationService_GetOrganization',
  verdict: 'drift',
  kind: 'type',
  severity: 'breaking',
  at: 'body.organization.a-member-with-a-name-that-is-long-and-has-no-space-in-it',
  message: 'the service sends a number',
  rules: ['organizations/slug'],
  ...change,
});

it('no report has a flaw that axe-core finds, or is wider than a phone', { timeout: 900_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reports-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [run, drift] = [join(folder, 'run.html'), join(folder, 'drift.html')];
  const issuer = await reported(run);
  const findings = [
    finding({}),
    finding({ severity: 'notable' }),
    finding({ verdict: 'unknown', severity: 'cosmetic' }),
  ];
  const compared = {
    ...emptyComparison(),
    findings,
    counts: { identical: 3, noise: 1, drift: 2, unknown: 1 },
  };
  writeFileSync(
    drift,
    driftPage({ ...compared, source: 'recording', understudy: '1.0.0', counted: 'exchanges' }),
  );
  const page = await openWindow(WINDOW);
  const flaws: string[] = [];
  for (const [name, address] of [
    ['coverage report', `${issuer}/_control/v1/coverage?format=html`],
    ['run report', pathToFileURL(run).href],
    ['drift report', pathToFileURL(drift).href],
  ] as const) {
    await page.goto(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate(
      "for (const each of document.querySelectorAll('.call, .problems details')) each.open = true",
    );
    flaws.push(...(await flawsOf(page, name)));
  }

  expect(flaws).toEqual([]);
});
