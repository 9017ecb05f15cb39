import { describe, expect, it } from 'vitest';
import { programOf } from './support/program.ts';
import { sweepWith } from './support/sweeping.ts';

/** The lines of a finding, for a program that makes this call. */
async function findingOf(failure: string, program: string, operation = 'OrganizationService_*') {
  const { out } = await sweepWith({ command: programOf(program), failure: [failure], operation });
  return out;
}

describe('a verdict', () => {
  it('is stormed if calls follow a 503 without a pause', async () => {
    const out = await findingOf(
      'outage',
      "for (let tries = 0; tries < 20; tries += 1) if ((await call('GET', '/organizations')).ok) break;",
    );

    expect(out).toContain('FAULT OrganizationService_ListOrganization: stormed (outage)');
    expect(out).toMatch(/8 calls follow req_\d+ without a pause/);
  });

  it('is stormed if the next call ignores Retry-After', async () => {
    const out = await findingOf(
      'rate-limited',
      "if (!(await call('GET', '/organizations')).ok) await call('GET', '/organizations');",
    );

    expect(out).toMatch(
      /FAULT OrganizationService_ListOrganization: stormed[^]*asks to wait 1 s, and req_\d+ comes after 0\.0 s/,
    );
  });

  it('is lost if the program passes and the row is nowhere', async () => {
    const out = await findingOf(
      'unavailable',
      "await call('POST', '/organizations', { display_name: 'Initech' });",
    );

    expect(out).toContain('FAULT OrganizationService_CreateOrganization: lost (unavailable)');
    expect(out).toContain('  unavailable: 503 for a moment, as in a deployment');
  });

  it('is a conflict if a retry meets the row of the first call', async () => {
    const out = await findingOf(
      'answer-lost',
      `const body = { display_name: 'Initech', external_id: 'crm-1' };
       const create = () => call('POST', '/organizations', body);
       if (!(await create()).ok && !(await create()).ok) process.exit(1);`,
    );

    expect(out).toContain('FAULT OrganizationService_CreateOrganization: conflict by retry (answer-lost)');
  });

  it('is no second write if the method may be repeated', async () => {
    const out = await findingOf(
      'answer-lost',
      `const link = () => call('PUT', '/organizations/org_10000000000000001/portal_links', {});
       if (!(await link()).ok && !(await link()).ok) process.exit(1);`,
    );

    expect(out).toContain('0 faults in 1 case');
  });

  it('is crashed if the process ends by a signal', async () => {
    const out = await findingOf(
      'internal-error',
      "if (!(await call('GET', '/organizations')).ok) process.kill(process.pid, 'SIGKILL');",
    );

    expect(out).toContain('FAULT OrganizationService_ListOrganization: crashed (internal-error)');
  });

  it('is no fault if a test only expects success', async () => {
    const { out, hasFailed } = await sweepWith({
      command: programOf("if (!(await call('GET', '/organizations')).ok) process.exit(1);"),
      failure: ['internal-error'],
      operation: 'OrganizationService_*',
    });

    expect(out).toMatch(
      /Tests that expected success \(no fault is proved\):\n {2}OrganizationService_ListOrganization: broken/,
    );
    expect(hasFailed).toBe(false);
  });

  it('is handled if the call is made again', async () => {
    const out = await findingOf(
      'dropped-before',
      "await call('GET', '/organizations').catch(() => call('GET', '/organizations'));",
    );

    expect(out).toMatch(/dropped-before +ok\n/);
    expect(out).toContain('0 faults in 1 case');
  });

  it('is shown if the call fails anyway', async () => {
    const out = await findingOf('internal-error', "await call('GET', '/organizations/org_404');");

    expect(out).toMatch(/internal-error +shown\n/);
  });

  it('comes from a scenario of the user, too', async () => {
    const { out } = await sweepWith({
      command: programOf("if ((await call('GET', '/organizations')).status === 501) process.exit(1);"),
      failure: ['internal-error'],
      scenario: ['unimplemented'],
      operation: 'OrganizationService_*',
    });

    expect(out).toMatch(/unimplemented +fails\n/);
  });
});
