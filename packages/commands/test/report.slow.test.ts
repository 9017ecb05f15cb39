import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, run, serve, type Exit, type Service } from '../../../test/support/process.ts';

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

/** Twelve rules that do not match, and one that answers with a message that is an object. */
const ODD = [
  'name: odd',
  'rules:',
  ...Array.from(
    { length: 12 },
    () => '  - { on: OAuth_Keys, when: { headers: { x-a: b } }, fault: { delay: 1ms } }',
  ),
  '  - { on: OAuth_Keys, reply: { status: 500, body: { message: { odd: true } }, contract: violated } }',
  '',
].join('\n');

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
    [
      'report.pdf',
      'report.pdf must be github, or end in .html, .xml (JUnit), .json, .md, or in / for a folder.',
    ],
    ['no/where.html', '--report no/where.html: there is no folder no'],
    ['taken.html', '--report taken.html: it is a folder'],
    ['file/', '--report file/: the folder cannot be made'],
  ])('refuses %s at the start', async (file, message) => {
    const cwd = makeFolder();
    mkdirSync(join(cwd, 'taken.html'));
    writeFileSync(join(cwd, 'file'), '');
    const { code, stdout, stderr } = await run(['serve', '--memory', '--report', file], { cwd });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
  });
});

describe('the Markdown of a run', () => {
  it('has the calls that failed with their reasons, problems and coverage', async () => {
    const { cwd, service } = await runWithProblems(['--report', 'run.md']);
    await service.anonymous.get('/api/v1/a%7Cb').expect(404);
    await service.anonymous.get('/api/v1/users').set('x-sdk-version', 'Scalekit-Node/2.11.0').expect(401);
    await service.stop();

    const lines = readFileSync(join(cwd, 'run.md'), 'utf8').split('\n');

    expect(lines[0]).toBe('### Understudy: 2 of 6 calls failed');
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^\| 400 \| `POST \/api\/v1\/organizations` \| `OrganizationService_CreateOrganization` \| `default` \| `.*value length/,
      ),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^\| 404 \| `GET \/api\/v1\/a%7Cb` \| `-` \|/));
    expect(lines).toContain(
      'Not counted as failed: 1 without a token. The SDK gets a token after such a call.',
    );
    expect(lines).toContain(`- \`unused rule: ${UNUSED}\``);
    expect(lines).toContainEqual(
      expect.stringMatching(/^Coverage: 4 of \d+ operations \(.*, 1 of 2 rules \(50 %\)\.$/),
    );
  });

  it('takes an answer whose message is no text, and says why', async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'odd.yaml'), ODD);
    const flags = ['--scenario', './odd.yaml', '--report', 'run.md', '--report', 'runs/'];
    const service = await serve(flags, { cwd });
    await service.anonymous.get('/keys').expect(500);
    await service.stop();

    const told = await run(['report', 'runs/', '--format', 'markdown'], { cwd });

    expect(told.code).toBe(0);
    for (const text of [readFileSync(join(cwd, 'run.md'), 'utf8'), told.stdout]) {
      expect(text).toContain('### Understudy: 1 of 1 calls failed');
      expect(text).toContain(
        '`Rule 12 of scenario odd answered 500; the rule goes on until the scenario is unloaded.`<br>',
      );
      expect(text).toContain('`Rule 0 of scenario odd was not applied: ');
    }
  });

  it('is added to the summary of a job of GitHub, and to nothing elsewhere', async () => {
    const cwd = makeFolder();
    const file = join(cwd, 'summary');
    writeFileSync(file, 'of another step\n');
    for (const variables of [{ GITHUB_STEP_SUMMARY: file }, {}]) {
      const service = await serve(['--report', 'github'], { cwd, variables });
      expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
    }

    expect(readFileSync(file, 'utf8')).toMatch(
      /^of another step\n### Understudy: no call was made\n\nCoverage: [^\n]*\n\n$/,
    );
  });
});

/** Two services that write to one folder, each with a failed call and a violation. */
async function twoRuns(): Promise<{ cwd: string; files: string[] }> {
  const cwd = makeFolder();
  for (const path of [ORGANIZATIONS, '/keys']) {
    const service = await serve(['--report', 'made/reports/', '--report', 'last.json'], { cwd });
    const api = await service.login();
    await api.get(path).expect(200);
    await api.post(ORGANIZATIONS).send({ display_name: '' }).expect(400);
    await service.stop();
  }
  return { cwd, files: readdirSync(join(cwd, 'made/reports')) };
}

describe('understudy report with files', () => {
  it('makes one report of the files that several services have written to a folder', async () => {
    const { cwd, files } = await twoRuns();
    const ofFolder = await run(['report', 'made/reports', '--out', 'all.html'], { cwd });
    const summary = await run(['report', 'made/reports/', '--format', 'markdown'], { cwd });
    const failed = await run(['report', 'made/reports', '--fail', '--fail-under', '90'], { cwd });

    expect(files).toEqual([
      expect.stringMatching(/^understudy-\w{16}\.json$/),
      expect.stringMatching(/^understudy-\w{16}\.json$/),
    ]);
    expect(ofFolder).toMatchObject({ code: 0, stderr: 'the report is in all.html\n' });
    const page = readFileSync(join(cwd, 'all.html'), 'utf8');
    expect(page).toContain('All 6 calls');
    expect(page).toContain('2 of 6 failed.');
    expect(summary.stdout).toMatch(/^### Understudy: 2 of 6 calls failed\n/);
    expect(summary.stdout).toMatch(/organization.display_name: .* \(2 times, such as req_3 in default\)/);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('of operations covered (4 of') });
  });

  it('gives the coverage of a run, and merges it', async () => {
    const { cwd, files } = await twoRuns();
    const [first] = files;
    const one = await run(['coverage', `made/reports/${first}`, '--format', 'json'], { cwd });
    writeFileSync(join(cwd, 'one.json'), one.stdout);
    const all = await run(['coverage', 'one.json', 'made/reports', '--format', 'json'], { cwd });

    const counted = (text: string) => (JSON.parse(text) as { summary: { calls: number } }).summary.calls;
    expect(counted(one.stdout)).toBe(3);
    expect(counted(all.stdout)).toBe(6);
  });

  it('says which file is no report, and why', async () => {
    const { cwd } = await twoRuns();
    const told = JSON.parse(readFileSync(join(cwd, 'last.json'), 'utf8')) as Record<string, unknown>;
    const spoil = (name: string, members: object) =>
      writeFileSync(join(cwd, name), JSON.stringify({ ...told, ...members }));
    spoil('other.json', { format: 1 });
    spoil('total.json', { total: -1 });
    spoil('calls.json', { calls: [{}] });
    spoil('coverage.json', { coverage: 7 });
    mkdirSync(join(cwd, 'empty'));

    for (const [name, reason] of [
      ['other.json', 'other.json is no report of a run: its format is not understudy-run-1'],
      ['total.json', 'total.json is no report of a run: total is missing or not as it was written'],
      ['calls.json', 'calls.json is no report of a run: '],
      ['coverage.json', 'coverage.json is no report of a run: '],
      ['empty', 'empty has no report: no file understudy-….json'],
      ['nowhere.json', 'nowhere.json cannot be read'],
    ] as const)
      expect(await run(['report', name], { cwd })).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(`understudy: ${reason}`),
      });
  });
});
