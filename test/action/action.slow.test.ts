import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { makeFolder } from '../support/process.ts';

interface Action {
  inputs: Record<string, { default?: string }>;
  outputs: Record<string, object>;
  runs: { main: string; post: string };
}

const action = parse(readFileSync('action.yml', 'utf8')) as Action;
const FILES = ['GITHUB_ENV', 'GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'];

/** What a runner of GitHub does with the action: variables for the inputs, and files that the steps write to. */
function job(inputs: Record<string, string>, runner: Record<string, string> = {}) {
  const folder = makeFolder();
  const files = FILES.map((name): [string, string] => [name, join(folder, name)]);
  for (const [, file] of files) writeFileSync(file, '');
  const defaults = Object.entries(action.inputs).map(([name, { default: value = '' }]) => [name, value]);
  const given = { ...Object.fromEntries(defaults), port: '0', 'working-directory': folder, ...inputs };
  const variables = Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  const env = {
    ...process.env,
    ...runner,
    ...Object.fromEntries([...files, ...variables]),
    RUNNER_TEMP: folder,
  } as NodeJS.ProcessEnv;
  const read = (name: string): Record<string, string> =>
    Object.fromEntries(
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [line.split(/=(.*)/s).slice(0, 2)])),
    ) as Record<string, string>;
  const run = (script: string) => {
    const state = Object.entries(read('GITHUB_STATE')).map(([name, value]) => [`STATE_${name}`, value]);
    const all = { ...env, ...(Object.fromEntries(state) as NodeJS.ProcessEnv) };
    return spawnSync(process.execPath, [script], { env: all, encoding: 'utf8' });
  };
  const finish = () => run(action.runs.post);
  const post = () => {
    finish();
    return readFileSync(join(folder, 'GITHUB_STEP_SUMMARY'), 'utf8');
  };
  onTestFinished(() => void post());
  return { folder, start: () => run(action.runs.main), finish, post, read };
}

/** Stands for GitHub's service for artifacts, in a process of its own, because jobs run synchronously. */
async function artifactService(): Promise<{ url: string; uploaded: () => Buffer }> {
  const file = join(makeFolder(), 'uploaded');
  const child = spawn(process.execPath, [join(import.meta.dirname, 'artifact-service.mjs'), file]);
  onTestFinished(() => void child.kill());
  const [url] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: url.toString().trim(), uploaded: () => readFileSync(file) };
}

const checkout = `node ${resolve('dist/understudy.js')}`;

async function call(url: string, environment: string) {
  const headers = { 'understudy-environment': environment };
  await fetch(`${url}/api/v1/organizations/a%7Cb`, { headers });
}

describe('the GitHub action', () => {
  it('starts the service, sets variables and outputs, and stops it with a summary of what failed', async () => {
    const { start, post, read } = job({
      command: checkout,
      flags: '--fixture empty\n--scenario  rate-limit-once,retry_after=5',
    });

    expect(start()).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('ready at http://localhost:'),
    });
    const { UNDERSTUDY_URL: url = '', ...variables } = read('GITHUB_ENV');
    expect(variables).toMatchObject({
      SCALEKIT_ENVIRONMENT_URL: url,
      SCALEKIT_CLIENT_ID: expect.stringMatching(/^skc_/),
    });
    expect(Object.keys(read('GITHUB_OUTPUT'))).toEqual(Object.keys(action.outputs));
    const made = await fetch(`${url}/_control/v1/environments`, { method: 'POST' });
    const { name } = (await made.json()) as { name: string };
    await call(url, 'default');
    await call(url, name);
    await fetch(`${url}/_control/v1/environments/${name}`, { method: 'DELETE' });
    await fetch(`${url}/.well-known/openid-configuration`);
    await fetch(`${url}/api/v1/users`, { headers: { 'x-sdk-version': 'Scalekit-Node/2.11.0' } });

    const summary = post();

    expect(summary).toContain('### Understudy: 2 of 4 calls failed');
    expect(summary).toContain(
      '| 401 | `GET /api/v1/organizations/a%7Cb` | `OrganizationService_GetOrganization` |',
    );
    expect(summary).toContain(
      `| \`${name}\` | \`why: "The call has no token: it has no header authorization."\` |`,
    );
    expect(summary).toContain(
      'Not counted as failed: 1 without a token. The SDK gets a token after such a call.',
    );
    expect(summary).not.toContain('/api/v1/users');
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('fails at the end if a rule was never applied', () => {
    const { start, finish, post } = job({
      command: checkout,
      flags: '--fail-on-unused-rules\n--scenario rate-limit-once,retry_after=5',
    });
    start();

    expect(finish()).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(
        /^::error title=Understudy::understudy: a rule was .*%0A.*rate-limit-once/,
      ),
    });
    expect(post()).toMatch(/no call was made\n\n```text\nunderstudy: a rule was loaded and never applied\n/);
  });

  it('starts the package that the folder has installed', () => {
    const { folder, start, read } = job({});
    writeFileSync(join(folder, 'package.json'), '{ "devDependencies": { "understudy-server": "*" } }');
    mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
    symlinkSync(resolve('.'), join(folder, 'node_modules', 'understudy-server'));
    symlinkSync(resolve('dist/understudy.js'), join(folder, 'node_modules', '.bin', 'understudy-server'));

    expect(start()).toMatchObject({ status: 0 });
    expect(read('GITHUB_ENV')).toMatchObject({
      UNDERSTUDY_URL: expect.stringMatching(/^http:\/\/localhost:\d+$/),
    });
  });

  it('trusts the certificate for an SDK that needs it, and writes no summary unless it is wanted', () => {
    const { start, post, read } = job({ command: checkout, sdk: 'node', summary: 'false' });

    expect(start()).toMatchObject({ status: 0 });
    expect(read('GITHUB_ENV')).toMatchObject({ SCALEKIT_ENVIRONMENT_URL: expect.any(String) });
    expect(post()).toBe('');
  });

  it('uploads the bundles of failed tests, and links them in the summary', async () => {
    const service = await artifactService();
    const claims = Buffer.from(JSON.stringify({ scp: 'Actions.Results:run-1:job-12345678' })).toString(
      'base64url',
    );
    const runner = {
      ACTIONS_RESULTS_URL: service.url,
      ACTIONS_RUNTIME_TOKEN: `head.${claims}.signature`,
      GITHUB_JOB: 'test',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'acme/app',
      GITHUB_RUN_ID: '17',
    };
    const { folder, start, post } = job({ command: checkout }, runner);
    mkdirSync(join(folder, 'test-results'));
    start();
    writeFileSync(join(folder, 'test-results', 'a-role-is-created.understudy'), 'the bundle');

    expect(post()).toContain(
      '#### Runs of failed tests, in [the artifact](https://github.com/acme/app/actions/runs/17/artifacts/99)\n\n' +
        '- `npx understudy-server open a-role-is-created.understudy`\n',
    );
    const zip = join(folder, 'artifact.zip');
    writeFileSync(zip, service.uploaded());
    const unpack = `import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read('a-role-is-created.understudy').decode())`;
    expect(spawnSync('python3', ['-c', unpack, zip], { encoding: 'utf8' }).stdout).toBe('the bundle\n');
  });

  it('lists bundles that it cannot upload', () => {
    const { folder, start, post } = job({ command: checkout }, { ACTIONS_RUNTIME_TOKEN: '' });
    start();
    mkdirSync(join(folder, 'test-results'));
    writeFileSync(join(folder, 'test-results', 'a.understudy'), '');

    expect(post()).toContain('(not uploaded: this is no job of GitHub Actions)');
  });

  it.each([
    [
      'a flag is wrong',
      { command: checkout, flags: '--fixture nowhere' },
      /::error title=Understudy::.*nowhere/,
    ],
    ['the command is missing', { command: 'no-such-command' }, /::error title=Understudy::.*no-such-command/],
    ['the SDK is unknown', { command: checkout, sdk: 'cobol' }, /::error title=Understudy::.*cobol/],
  ])('fails with the reason in an annotation when %s', (_, inputs, message) => {
    const { status, stdout } = job(inputs).start();

    expect(status).toBe(1);
    expect(stdout).toMatch(message);
  });
});
