import { describe, expect, it } from 'vitest';
import { programOf } from './support/program.ts';
import { sweepWith } from './support/sweeping.ts';

const LISTING = programOf("await call('GET', '/organizations');");

describe('a sweep that cannot be made', () => {
  it('says that the tests fail without a failure', async () => {
    const command = programOf("console.error('AssertionError: 1 is not 2'); process.exit(3);");

    await expect(sweepWith({ command })).rejects.toThrow(
      /^the tests must pass before failures are tried, and .* ended with 3: AssertionError: 1 is not 2/s,
    );
  });

  it('says that the tests do not call the service', async () => {
    const command = [process.execPath, '--eval', ''];

    await expect(sweepWith({ command })).rejects.toThrow(
      /made no call to the service: tests must use the address in UNDERSTUDY_URL/,
    );
  });

  it('names the nearest failure, the operations and the cases that there are', async () => {
    await expect(sweepWith({ command: LISTING, failure: ['rate-limitd'] })).rejects.toThrow(
      'there is no failure rate-limitd; did you mean rate-limited?',
    );
    await expect(sweepWith({ command: LISTING, operation: 'User*' })).rejects.toThrow(
      'no test calls User*: tests call OAuth_Token, OrganizationService_ListOrganization',
    );
    await expect(sweepWith({ command: LISTING, failure: ['slow'], case: 9 })).rejects.toThrow(
      'there is no case 9: with this command and these options, there are 2',
    );
  });

  it('refuses a report whose format it does not know, before the tests run', async () => {
    await expect(sweepWith({ command: ['no-such-program'], report: ['sweep.pdf'] })).rejects.toThrow(
      '--report sweep.pdf: the name must end in .html, .xml, .json, or be github',
    );
  });

  it('says that the command cannot be started', async () => {
    await expect(sweepWith({ command: ['no-such-program'] })).rejects.toThrow('cannot run no-such-program');
  });

  it('refuses a scenario without the parameter operation', async () => {
    await expect(sweepWith({ command: LISTING, scenario: ['invite-expired'] })).rejects.toThrow(
      '--scenario invite-expired: a scenario needs the parameter operation',
    );
  });
});

describe('one case', () => {
  it('is repeated by its number', async () => {
    const { out } = await sweepWith({
      command: LISTING,
      failure: ['unavailable', 'internal-error'],
      case: 2,
    });

    expect(out).toContain('0 faults in 1 case\n');
  });
});

describe('the time of a sweep', () => {
  it('ends it, and says how many cases were not run', async () => {
    const { out, err } = await sweepWith({ command: LISTING, failure: ['unavailable'], time: 1, jobs: 1 });

    expect(out).toContain('; 1 were not run');
    expect(err).toContain('To go on: --resume');
  });
});
