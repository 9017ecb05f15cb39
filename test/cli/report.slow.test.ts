import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, run, serve, type Exit, type Service } from '../support/process.ts';

const ORGANIZATIONS = '/api/v1/organizations';
const MARKUP = `"'><script>alert(1)</script>`;
const OWN = `name: own
rules:
  - on: OrganizationService_ListOrganization
    times: 1
    reply: { status: 200, body: { organisation: 7 }, contract: violated }
  - on: ToolService_ExecuteTool
    reply: { error: tool_error }
`;

interface Run {
  cwd: string;
  service: Service;
  report(...args: string[]): Promise<Exit>;
}

/** A service with a violation of each kind, an unused rule and an environment that was dropped. */
async function runWithProblems(flags: string[] = []): Promise<Run> {
  const cwd = makeFolder();
  writeFileSync(join(cwd, 'own.yaml'), OWN);
  const service = await serve(['--scenario', './own.yaml', ...flags], { cwd });
  const api = await service.login();
  await api.get(ORGANIZATIONS).expect(200);
  await api
    .post(ORGANIZATIONS)
    .send({ display_name: '', metadata: { note: MARKUP } })
    .expect(400);
  await service.control.post('/environments').send({ name: 'worker' }).expect(201);
  await service.anonymous.get('/keys').set('understudy-environment', 'worker').expect(200);
  await service.control.delete('/environments/worker').expect(204);
  return { cwd, service, report: (...args) => run(['report', '--url', service.url, ...args], { cwd }) };
}

const UNUSED = 'own rules[1], on ToolService_ExecuteTool, was loaded and never applied';
const REQUEST =
  'OrganizationService_CreateOrganization: organization.display_name: value length must be at least';
const ANSWER = 'OrganizationService_ListOrganization: a scenario answered 200 outside the contract (once)';

describe('understudy report', () => {
  it('lists the problems of a running service, and exits with 1 if it is asked to', async () => {
    const { report } = await runWithProblems();

    const told = await report();
    const failed = await report('--fail');
    const short = await report('--fail-under', '90', '--of', 'rules');

    expect(told).toMatchObject({ code: 0, stderr: '' });
    const lines = told.stdout.trim().split('\n');
    expect(lines).toEqual([
      `unused rule: ${UNUSED} (own.yaml:6)`,
      expect.stringMatching(`^request: ${REQUEST}.* \\(once, such as req_3 in default\\)$`),
      `answer: ${ANSWER}`,
    ]);
    expect(failed).toMatchObject({ code: 1, stderr: 'understudy: the report has 3 problems\n' });
    expect(short).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('50 % of rules covered (1 of 2)'),
    });
  });

  it('writes annotations for GitHub', async () => {
    const { stdout } = await (await runWithProblems()).report('--format', 'github', '--fail-under', '90');

    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(
        /^::error title=Understudy%3A Coverage is under the limit::\d.* %25 of operations covered/,
      ),
      `::warning file=own.yaml,line=6,title=Understudy%3A A scenario rule never applied::${UNUSED}`,
      expect.stringContaining(`::warning title=Understudy%3A A request broke the contract::${REQUEST}`),
      `::warning title=Understudy%3A A scripted answer broke the contract::${ANSWER}`,
      '',
    ]);
  });

  it('writes the format of the file name, and says why it cannot', async () => {
    const { cwd, report } = await runWithProblems();

    for (const file of ['junit.xml', 'report.html']) {
      const written = { code: 0, stdout: '', stderr: `the report is in ${file}\n` };
      expect(await report('--out', file)).toMatchObject(written);
    }
    const refused = await report('--out', 'no/where.xml');

    expect(readFileSync(join(cwd, 'junit.xml'), 'utf8')).toMatch(/^<\?xml .*\n<testsuites name="understudy"/);
    expect(readFileSync(join(cwd, 'report.html'), 'utf8')).toMatch(/^<!doctype html>/);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^understudy: no\/where\.xml cannot be written/),
    });
  });

  it('finds no problems in a run without any', async () => {
    const service = await serve();
    await (await service.login()).get(ORGANIZATIONS).expect(200);
    const asked = await run(['report', '--fail', '--url', service.url]);
    expect(asked).toMatchObject({ code: 0, stdout: 'no problems\n', stderr: '' });
  });
});

describe('--report', () => {
  it('writes the run as a page and as JUnit when the service stops', async () => {
    const { cwd, service } = await runWithProblems(['--report', 'run.html', '--report', 'junit.xml']);
    expect(existsSync(join(cwd, 'run.html'))).toBe(false);
    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
    const page = readFileSync(join(cwd, 'run.html'), 'utf8');
    const junit = readFileSync(join(cwd, 'junit.xml'), 'utf8');

    // Nothing from a call is markup, no script is needed, nothing is loaded, and secrets are as in the journal.
    expect(page).toContain('&lt;script&gt;alert(1)');
    expect(page.match(/<script|<img|<link|src=/)).toBeNull();
    expect(page).toContain(`content="default-src 'none'; style-src`.replaceAll("'", '&#39;'));
    expect(page).not.toContain(service.client_secret);
    expect(page).toContain('All 4 calls');
    expect(page).toContain('worker req_1');
    for (const [, anchor = ''] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(`id="${anchor}"`);
    expect(junit).toMatch(
      /^ {4}<testcase classname="understudy\.scenario rules" name="own rules\[1\]" file="own\.yaml" line="6">$/m,
    );
    expect(junit).toContain(`<failure type="request" message="${REQUEST}`);
    expect(junit).toContain(`<failure type="answer" message="${ANSWER}"`);
    expect(junit).toMatch(/^<testsuites name="understudy" tests="\d+" failures="3">$/m);
  });

  it('has no problem if one rule of a shipped scenario was applied', async () => {
    const cwd = makeFolder();
    const service = await serve(['--report', 'run.html', '--scenario', 'invite-expired'], { cwd });
    const api = await service.login();
    await api.get('/api/v1/users/usr_10000000000000105').expect(200);
    await service.stop();

    expect(readFileSync(join(cwd, 'run.html'), 'utf8')).toContain('None: every scenario was used');
  });

  it('says how many calls it leaves out', async () => {
    const cwd = makeFolder();
    const service = await serve(['--report', 'run.html', '--journal-entries', '5'], { cwd });
    for (let call = 0; call < 1005; call += 1) await fetch(`${service.url}/keys`);
    await service.stop();
    expect(readFileSync(join(cwd, 'run.html'), 'utf8')).toContain(
      'The latest 1000 of 1005 calls. The page leaves out the other 5; problems and coverage count all.',
    );
  });

  it.each([
    ['report.pdf', 'report.pdf must end in .html, or in .xml for JUnit.'],
    ['no/where.html', '--report no/where.html: there is no folder no'],
    ['taken.html', '--report taken.html: it is a folder'],
  ])('refuses %s at the start', async (file, message) => {
    const cwd = makeFolder();
    mkdirSync(join(cwd, 'taken.html'));
    const { code, stdout, stderr } = await run(['serve', '--memory', '--report', file], { cwd });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
  });
});
