import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort, makeFolder, run, serve, type Service } from '../../../test/support/process.ts';

const ORGANIZATIONS = '/api/v1/organizations';

/** A folder with the saved reports of two runs. */
async function savedRuns(): Promise<string> {
  const folder = makeFolder();
  const seen: Record<string, (service: Service) => Promise<unknown>> = {
    'a.json': async (service) => (await service.login()).get(ORGANIZATIONS).expect(200),
    'b.json': async (service) => (await service.login()).get(`${ORGANIZATIONS}/org_404`).expect(404),
  };
  for (const [out, call] of Object.entries(seen)) {
    const service = await serve();
    await call(service);
    const args = ['coverage', '--url', service.url, '--format', 'json', '--out', out];
    expect(await run(args, { cwd: folder })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `the report is in ${out}\n`,
    });
  }
  return folder;
}

const reportIn = (folder: string, file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));

describe('understudy coverage', () => {
  it('reads a service over https, whose certificate is not trusted', async () => {
    const { url } = await serve();
    const args = ['coverage', '--format', 'json', '--url', url.replace('http:', 'https:')];
    const { code, stdout } = await run(args);
    expect([code, JSON.parse(stdout).format]).toEqual([0, 1]);
  });

  it('reads all environments of a running service, and prints them by tag', async () => {
    const service = await serve();
    const api = await service.login();
    await api.get(ORGANIZATIONS).expect(200);
    await service.control.post('/environments').send({ name: 'gone' }).expect(201);
    await service.anonymous.get('/keys').set('understudy-environment', 'gone').expect(200);
    await service.control.delete('/environments/gone').expect(204);
    await service.control.post('/scenarios').send({ name: 'tool-failure' }).expect(201);
    await api.get('/nowhere').expect(404);

    const { code, stdout, stderr } = await run(['coverage', '--url', `${service.url}/`]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Coverage of contract 1\.0\.0: 4 calls in 1 run\n/);
    expect(stdout).toMatch(/^OAuth +█+·+ +2\/8 +25\.0 % +2\/19 +10\.5 % +2$/m);
    expect(stdout).toMatch(/^Sessions +·{10} +0\/\d+ +0\.0 % /m);
    expect(stdout).toMatch(/^All +█·{9} +3\/\d+ +0\.\d % +3\/\d+ +0\.\d % +4$/m);
    expect(stdout).toContain(
      '  never     tool-failure rules[0], on ToolService_ExecuteTool, scenarios/tool-failure.yaml\n',
    );
    expect(stdout).toContain('  call      GET /nowhere: 404, 1 time\n');
    for (const line of stdout.split('\n').slice(0, 30)) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('reads one environment, with the token of the control API', async () => {
    const variables = { UNDERSTUDY_CONTROL_TOKEN: 'sesame' };
    const service = await serve([], { variables });
    await service.anonymous.get('/keys').expect(200);
    const args = ['coverage', '--url', service.url, '--environment', 'default', '--format', 'json'];

    const admitted = await run(args, { variables });
    const refused = await run(args);

    expect(JSON.parse(admitted.stdout)).toMatchObject({
      summary: { calls: 1 },
      runs: [{ environment: 'default' }],
    });
    expect(refused).toMatchObject({
      code: 1,
      stderr: `understudy: ${service.url} did not return coverage: the control API requires the token of UNDERSTUDY_CONTROL_TOKEN\n`,
    });
  });

  it('writes the HTML report to a file', async () => {
    const service = await serve();
    const cwd = makeFolder();

    const { code } = await run(
      ['coverage', '--url', service.url, '--format', 'html', '--out', 'coverage.html'],
      { cwd },
    );

    expect(code).toBe(0);
    expect(readFileSync(join(cwd, 'coverage.html'), 'utf8')).toMatch(/^<!doctype html>/);
  });

  it('exits with 1 below the wanted percentage, and lists what is missing', async () => {
    const service = await serve();
    await service.login();
    const ask = (...args: string[]) => run(['coverage', '--url', service.url, ...args]);

    expect(await ask('--fail-under', '0.2')).toMatchObject({ code: 0, stderr: '' });
    expect(await ask('--fail-under', '100', '--of', 'rules')).toMatchObject({ code: 0, stderr: '' });
    const operations = await ask('--fail-under', '80');
    const responses = await ask('--fail-under', '80', '--of', 'responses');

    expect(operations.code).toBe(1);
    expect(operations.stdout).toMatch(/^Coverage of contract/);
    expect(operations.stderr).toMatch(
      /^understudy: 0\.\d % of operations covered \(1 of \d+\), 80 % required; missing: OAuth_Authorize, (\w+, ){8}\w+ and \d+ more\n$/,
    );
    expect(responses.stderr).toMatch(
      /^understudy: 0\.\d % of responses covered .*; missing: OAuth_\w+ \d+, OAuth_\w+ \d+, /,
    );
  });

  it('lists the missing rules', async () => {
    const service = await serve();
    await service.control.post('/scenarios').send({ name: 'tool-failure' }).expect(201);

    const { code, stderr } = await run([
      'coverage',
      '--url',
      service.url,
      '--fail-under',
      '1',
      '--of',
      'rules',
    ]);

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'understudy: 0 % of rules covered (0 of 1), 1 % required; missing: tool-failure rules[0]\n',
    });
  });

  it('merges saved reports, in any order and with duplicates', async () => {
    const cwd = await savedRuns();
    const merge = async (...files: string[]) =>
      (await run(['coverage', ...files, '--format', 'json'], { cwd })).stdout;

    const merged = await merge('a.json', 'b.json');
    writeFileSync(join(cwd, 'all.json'), merged);

    expect(JSON.parse(merged).summary).toMatchObject({
      calls: 4,
      operations: { covered: 3 },
      responses: { covered: 3 },
    });
    expect(await merge('b.json', 'a.json')).toBe(merged);
    expect(await merge('a.json', 'all.json', 'b.json', 'a.json')).toBe(merged);
  });

  it('explains why a file cannot be merged', async () => {
    const cwd = await savedRuns();
    const report = reportIn(cwd, 'a.json');
    const save = (file: string, content: unknown) => writeFileSync(join(cwd, file), JSON.stringify(content));
    writeFileSync(join(cwd, 'torn.json'), '{"format":1,');
    save('other.json', { name: 'package' });
    save('later.json', { ...report, format: 2 });
    save('broken.json', { ...report, runs: [{ ...report.runs[0], answers: 7 }] });
    save('old.json', { ...report, contract: { version: '0.9.0', digest: 'abc' } });
    const complaint = async (...files: string[]) => {
      const { code, stdout, stderr } = await run(['coverage', ...files], { cwd });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      return stderr;
    };

    expect(await complaint('a.json', 'nowhere.json')).toMatch(
      /^understudy: nowhere\.json cannot be read: no such file\n$/,
    );
    expect(await complaint('torn.json')).toMatch(/^understudy: torn\.json is not JSON: .*\n$/);
    expect(await complaint('other.json')).toBe(
      'understudy: other.json is not a coverage report: it has no format\n',
    );
    expect(await complaint('later.json')).toBe(
      'understudy: later.json is a report of format 2, this program reads format 1\n',
    );
    expect(await complaint('broken.json')).toBe(
      'understudy: broken.json is not a coverage report: /runs/0/answers must be object\n',
    );
    expect(await complaint('a.json', 'old.json')).toBe(
      `understudy: old.json is about contract 0.9.0 (abc), a.json about 1.0.0 (${report.contract.digest}): ` +
        'reports of different contracts cannot be merged\n',
    );
  });

  it('reports an unreachable service, an invalid percentage and an unwritable file', async () => {
    const port = await freePort();
    const service = await serve();

    expect(await run(['coverage', '--url', `http://127.0.0.1:${port}`])).toMatchObject({
      code: 1,
      stderr: `understudy: nothing answers at http://127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}\n`,
    });
    expect(await run(['coverage', '--fail-under', '101'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('It must be a number from 0 to 100.'),
    });
    expect(await run(['coverage', '--url', service.url, '--out', 'no/where.json'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^understudy: no\/where\.json cannot be written: ENOENT/),
    });
  });
});
