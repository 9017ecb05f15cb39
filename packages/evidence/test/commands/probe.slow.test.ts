import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, run, serve, start } from '../../../../test/support/process.ts';

type Asked = ReturnType<typeof start>;

describe('understudy probe', () => {
  it('tells what it would do, and calls nothing', async () => {
    const service = await serve();

    const planned = await run(['probe', '--against', service.url, '--only', 'roles']);

    expect(planned).toMatchObject({ code: 0, stderr: 'Nothing was called. Add --yes to run the probes.\n' });
    expect(planned.stdout).toMatch(
      /^\d+ probes? makes? at most \d+ calls\. The names of all that they make contain \w+\.$/m,
    );
    expect(planned.stdout).toMatch(/^ +\d+ × POST \/api\/v1\/roles$/m);
    const { body } = await service.control.get('/requests').expect(200);
    expect(body.requests).toEqual([]);
  });

  it('asks a service, writes the answers, and says what they mean for the ledger', async () => {
    const service = await serve();
    const cwd = makeFolder();
    const args = ['probe', '--against', service.url, '--only', 'roles/absent-permission'];

    const asked = await run([...args, '--yes', '--pace', '0ms', '--write-report', 'answers.json'], { cwd });
    const applied = await run(['probe', '--apply', 'answers.json'], { cwd });

    expect(asked).toMatchObject({ code: 0, stderr: '1 same, 0 different, 0 not run\n' });
    expect(asked.stdout).toBe('same       roles/absent-permission\n');
    const written = readFileSync(join(cwd, 'answers.json'), 'utf8');
    expect(JSON.parse(written)).toMatchObject({ service: service.url, verdicts: [{ verdict: 'same' }] });
    expect(written).not.toContain(service.client_secret);
    expect(applied).toMatchObject({
      code: 0,
      stderr: '1 compared, 0 wrong, 0 contradictory; 0 without an entry, 0 not run. No file was changed.\n',
    });
    expect(applied.stdout.split('\n')).toEqual([
      'roles/absent-permission: unknown → compared',
      '  Understudy: Removing a permission that a role does not have is refused with 404.',
      expect.stringMatching(/^ {2}same: http.* on \d{4}-\d\d-\d\d$/),
      '',
    ]);
  });

  it('exits with 1 if the service differs', async () => {
    const service = await serve();
    const scenario = {
      name: 'other',
      rules: [{ on: 'RolesService_RemovePermissionFromRole', reply: { status: 200, body: {} } }],
    };
    await service.control.post('/scenarios').send(scenario).expect(201);

    const asked = await run([
      'probe',
      '--against',
      service.url,
      '--only',
      'roles/absent-permission',
      '--yes',
      '--pace',
      '0ms',
    ]);

    expect(asked).toMatchObject({ code: 1, stderr: '0 same, 1 different, 0 not run\n' });
    expect(asked.stdout).toMatch(
      /^different {2}roles\/absent-permission\n +step 3, DELETE .*: expected status 404, was 200/,
    );
  });

  it.each([
    ['Ctrl+C', ({ child }: Asked) => child.kill('SIGINT')],
    ['SIGTERM', ({ child }: Asked) => child.kill('SIGTERM')],
    ['the end of its terminal', ({ child }: Asked) => child.kill('SIGHUP')],
    ['the end of a reader such as head', ({ child }: Asked) => child.stdout!.destroy()],
  ])('removes what it has made after %s', async (_, stop) => {
    const service = await serve();
    /** The names in the rows, and those in the log of events, which tells what has been. */
    const namesIn = async () => {
      const { events, ...rows } = (await service.control.get('/state').expect(200)).body;
      return [rows, events].map((each) =>
        JSON.stringify(each).match(/"[^"]*(understudy|probe)[-_:][^"]*"/gi),
      );
    };
    const [rowsBefore] = await namesIn();

    const asked = start([
      'probe',
      '--against',
      service.url,
      '--only',
      'connections',
      '--yes',
      '--pace',
      '50ms',
    ]);
    await asked.line(/^same .*\n/m);
    stop(asked);
    const exit = await asked.exited;

    expect(exit).toMatchObject({ code: 1, signal: null });
    expect(exit.stderr).toMatch(/^\d+ same, 0 different, [01] not run; stopped after \d+ of \d+\n$/);
    expect(exit.stdout).not.toContain('left behind');
    const [rows, events] = await namesIn();
    expect(events).toContainEqual(expect.stringMatching(/^"understudy-\w+ connections"$/));
    expect(rows).toEqual(rowsBefore);
  });

  it('refuses an address with a path, an unknown area and a file that is no report', async () => {
    const path = await run(['probe', '--against', 'http://localhost:1/api']);
    const area = await run(['probe', '--only', 'rols']);
    const cwd = makeFolder();
    const file = await run(['probe', '--apply', join(import.meta.dirname, '../../../../package.json')], {
      cwd,
    });

    expect(path).toMatchObject({ code: 1, stderr: expect.stringContaining('--against must be the address') });
    expect(area).toMatchObject({ code: 1, stderr: 'understudy: no probe of rols; did you mean roles?\n' });
    expect(file).toMatchObject({ code: 1, stderr: expect.stringContaining('is no answer file') });
  });
});
