import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, run, serve } from '../../../test/support/process.ts';

const LARGE = ['fixtures', 'generate', '--organizations', '1000', '--users', '20', '--seed', '7'];

describe('understudy fixtures generate', () => {
  it('writes the same text for the same size and seed, and another text for another seed', async () => {
    const small = ['fixtures', 'generate', '--organizations', '3', '--users', '2', '--seed'];

    const [one, alike, other] = await Promise.all([
      run([...small, '7']),
      run([...small, '7']),
      run([...small, '8']),
    ]);

    expect(one).toMatchObject({ code: 0, stderr: '' });
    expect(alike.stdout).toBe(one.stdout);
    expect(other.stdout).not.toBe(one.stdout);
    const { organizations, users, memberships } = JSON.parse(one.stdout);
    expect([organizations.length, users.length, memberships.length]).toEqual([3, 6, 6]);
  });

  it('writes a large fixture to --out, which the service can load', async () => {
    const cwd = makeFolder();
    const written = await run([...LARGE, '--out', 'large.json'], { cwd });

    const service = await serve(['--fixture', './large.json'], { cwd });

    expect(written).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    const api = await service.login();
    const { body: page } = await api.get('/api/v1/organizations?page_size=30').expect(200);
    expect(page.total_size).toBe(1000);
    const [organization] = page.organizations;
    const members = await api.get(`/api/v1/organizations/${organization.id}/users`).expect(200);
    expect(members.body.total_size).toBe(20);
    const tool = { tool_name: 'no_such_tool', params: {} };
    await api.post('/api/v1/execute_tool').send(tool).expect(404);
  });

  it('writes pending and expired invitations', async () => {
    const { stdout } = await run(['fixtures', 'generate', '--organizations', '10', '--users', '10']);

    const { memberships } = JSON.parse(stdout) as { memberships: { membership_status: string }[] };
    const count = (status: string) => memberships.filter((each) => each.membership_status === status).length;
    expect([count('ACTIVE'), count('PENDING_INVITE'), count('INVITE_EXPIRED')]).toEqual([90, 8, 2]);
  });

  it.each([
    [['--organizations', 'many'], /^error: option '--organizations <number>' argument 'many' is invalid/],
    [['--colour', 'blue'], /^error: unknown option '--colour'/],
    [['--out', 'no/such/folder/large.json'], /^understudy: no\/such\/folder\/large\.json: ENOENT/],
  ])('reports %j with one line and exit code 1', async (args, complaint) => {
    const { code, stdout, stderr } = await run(['fixtures', 'generate', ...args]);

    expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 });
    expect(stderr).toMatch(complaint);
  });
});

describe('shipped fixtures', () => {
  it.each(['default', 'empty'])('%s also passes the validation at the start', async (name) => {
    const cwd = makeFolder();
    const content = JSON.parse(readFileSync(`fixtures/${name}.json`, 'utf8'));
    // Another formatting than the text that was validated by the build.
    writeFileSync(join(cwd, 'copy.json'), JSON.stringify(content));

    const service = await serve(['--fixture', './copy.json'], { cwd });

    await service.control.get('/health').expect(200);
  });
});
