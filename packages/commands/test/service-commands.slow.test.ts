import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  eventually,
  freePort,
  makeFolder,
  run,
  serve,
  start,
  type Service,
} from '../../../test/support/process.ts';

const ORGANIZATIONS = '/api/v1/organizations';

/** A service with a new environment, and the commands for it. */
async function makeEnvironment() {
  const service = await serve();
  const { name } = (await service.control.post('/environments').send({}).expect(201)).body as {
    name: string;
  };
  const call = (...args: string[]) => run([...args, '--url', service.url, '--environment', name]);
  return {
    service,
    name,
    call,
    text: async (...args: string[]) => {
      const { code, stdout, stderr } = await call(...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout;
    },
    json: async (...args: string[]) => JSON.parse((await call(...args, '--json')).stdout),
  };
}

describe('understudy clock', () => {
  it('shows, freezes, advances and shifts the clock of the environment', async () => {
    const { text, json } = await makeEnvironment();
    expect(await text('clock', 'freeze', '2026-03-01T09:00:00Z')).toBe('2026-03-01T09:00:00.000Z (frozen)\n');
    expect(await text('clock', 'advance', '25h')).toBe('2026-03-02T10:00:00.000Z (frozen)\n');
    expect(await json('clock')).toMatchObject({ mode: 'frozen', now: '2026-03-02T10:00:00.000Z' });
    expect(await json('clock', 'set', 'now-14d')).toMatchObject({
      mode: 'offset',
      offset_ms: -14 * 86_400_000,
    });
    expect(await text('clock')).toMatch(/ \(offset -14d\)\n$/);
    expect(await json('clock', 'set', '2030-01-01T09:00:00Z')).toMatchObject({
      mode: 'offset',
      now: expect.stringMatching(/^2030-01-01T09:0/),
    });
    expect(await text('clock', 'set', 'real')).toMatch(/ \(the time of this machine\)\n$/);
  });

  it('exits with 1 and the error of the service for an invalid duration', async () => {
    const { call } = await makeEnvironment();
    const { code, stdout, stderr } = await call('clock', 'advance', 'soon');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^understudy: [^]*by: /);
  });
});

describe('understudy scenario', () => {
  it('loads a scenario with parameters, marks it in the list and unloads it', async () => {
    const { text, json, name } = await makeEnvironment();
    expect(
      await text('scenarios', 'load', 'rate-limit-once', 'retry_after=7', 'operation=RolesService_*'),
    ).toBe(`scenario rate-limit-once is loaded in environment ${name}\n`);
    expect((await json('scenarios', 'list')).loaded[0].rules[0]).toMatchObject({ on: 'RolesService_*' });
    expect(await text('scenarios', 'list')).toMatch(/^\* {2}rate-limit-once {2}/m);
    await text('scenarios', 'unload', 'rate-limit-once');
    expect((await json('scenarios', 'list')).loaded).toEqual([]);
  });

  it('loads a scenario from a file', async () => {
    const { text, json } = await makeEnvironment();
    const file = join(makeFolder(), 'mine.yaml');
    writeFileSync(file, 'name: mine\nrules:\n  - on: RolesService_*\n    reply: { error: unavailable }\n');
    await text('scenarios', 'load', file);
    expect((await json('scenarios', 'list')).loaded).toMatchObject([{ name: 'mine' }]);
  });

  it('names the file in which a mistake is', async () => {
    const { call } = await makeEnvironment();
    const file = join(makeFolder(), 'wrong.yaml');
    writeFileSync(
      file,
      'name: wrong\nrules:\n  - on: RolesServise_ListRoles\n    reply: { error: unavailable }\n',
    );
    const { code, stderr } = await call('scenarios', 'load', file);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${file}:3:9: rules[0].on: `)]);
  });

  it('names the scenario whose parameter has a wrong value', async () => {
    const { call } = await makeEnvironment();
    const { stderr } = await call('scenarios', 'load', 'rate-limit-once', 'retry_after=soon');
    expect(stderr).toMatch(/^understudy: rate-limit-once: params\.retry_after: /);
  });

  it('suggests the nearest scenario for a misspelt name', async () => {
    const { call } = await makeEnvironment();
    const { code, stderr } = await call('scenarios', 'load', 'rate-limit-onse');
    expect([code, stderr]).toEqual([1, expect.stringContaining('did you mean rate-limit-once?')]);
  });
});

describe('understudy state', () => {
  it('shows the rows that a filter leaves, in the wanted order', async () => {
    const { json, call } = await makeEnvironment();
    const all: { id: string; display_name: string }[] = await json('state', 'get', 'organizations');
    const flags = ['--sort', 'display_name', '--reverse', '--limit', '2'];
    const names = all.map(({ display_name }) => display_name).toSorted();

    const shown: typeof all = await json('state', 'get', 'organizations', ...flags);
    const found = await json('state', 'get', 'organizations', '--contains', all[1]!.id);
    const named = await json('state', 'get', 'organizations', '--where', `id=${all[1]!.id}`);
    const useless = await call('state', 'get', '--limit', '2');

    expect(shown.map(({ display_name }) => display_name)).toEqual(names.slice(-2).toReversed());
    expect([found, named]).toEqual([[all[1]], [all[1]]]);
    expect(useless).toMatchObject({
      code: 1,
      stderr: 'understudy: --limit is for the rows of a collection: write state get COLLECTION --limit …\n',
    });
  });

  it('shows the rows of an earlier moment, and what changed since', async () => {
    const { text, json, service } = await makeEnvironment();
    const [{ id, display_name: before }] = await json('state', 'get', 'organizations');
    const { to } = await json('diff', '0');
    await text('state', 'patch', 'organizations', id, 'display_name=Later');
    const at = String(to.position);

    expect(await json('state', 'get', 'organizations', id, '--at', at)).toMatchObject({
      display_name: before,
    });
    expect(await text('diff', at)).toBe(
      `~ organizations ${id}\n    display_name: ${JSON.stringify(before)} → "Later"\n`,
    );
    expect(await text('diff', at, at)).toBe('nothing changed\n');
    await json('env', 'fork', 'then', '--at', at);
    const then = await run([
      'state',
      'get',
      'organizations',
      id,
      '--json',
      '--url',
      service.url,
      '--environment',
      'then',
    ]);
    expect(JSON.parse(then.stdout)).toMatchObject({ display_name: before });
  });

  it('shows, changes and deletes rows', async () => {
    const { text, json } = await makeEnvironment();
    const [organization] = await json('state', 'get', 'organizations');
    const { id } = organization as { id: string };
    expect(await text('state', 'get')).toMatch(/^organizations +\d+$/m);
    expect(await json('state', 'get')).toMatchObject({ organizations: expect.any(Number) });
    expect(await json('state', 'patch', 'organizations', id, 'display_name=Changed')).toEqual({
      ...organization,
      display_name: 'Changed',
    });
    expect(await json('state', 'patch', 'organizations', id, '{"display_name":"Again"}')).toMatchObject({
      display_name: 'Again',
    });
    await text('state', 'delete', 'organizations', id);
    expect(await json('state', 'get', 'organizations')).not.toContainEqual(expect.objectContaining({ id }));
  });

  it('is restored by a reset and by a snapshot', async () => {
    const { text, json } = await makeEnvironment();
    const before = await json('state', 'get', 'organizations');
    await text('snapshot', 'take', 'before');
    await text('state', 'delete', 'organizations', before[0].id);
    await text('snapshot', 'restore', 'before');
    expect(await json('state', 'get', 'organizations')).toEqual(before);
    expect(await text('snapshot', 'list')).toBe('before\n');
    await text('state', 'delete', 'organizations', before[0].id);
    await text('reset', '--only', 'state');
    expect(await json('state', 'get', 'organizations')).toEqual(before);
  });
});

describe('understudy env', () => {
  it('creates, lists, forks and drops environments', async () => {
    const service = await serve();
    const scenario = ['--scenario', 'rate-limit-once,retry_after=5,operation=RolesService_*'];
    const flags = ['--url', service.url, '--seed', '7', '--json', ...scenario];
    const created = await run(['env', 'create', 'shop', ...flags]);
    const { loaded } = (await service.control.get('/environments/shop/scenarios')).body as {
      loaded: object[];
    };
    expect(loaded).toMatchObject([{ params: { retry_after: 5, operation: 'RolesService_*' } }]);
    expect(JSON.parse(created.stdout)).toMatchObject({
      name: 'shop',
      client_id: expect.stringMatching(/^skc_/),
    });
    const forked = await run(['env', 'fork', 'copy', '--url', service.url, '--environment', 'shop']);
    expect(forked.stdout).toMatch(/^name +copy$/m);
    const listed = await run(['env', 'list', '--url', service.url]);
    expect(listed.stdout).toMatch(/^shop +skc_/m);
    expect(await run(['env', 'drop', 'shop', '--url', service.url])).toMatchObject({ code: 0 });
    const again = await run(['env', 'drop', 'shop', '--url', service.url]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('shop')]);
  });

  it('prints what all SDKs have in common without --sdk, in the formats of docker and GitHub', async () => {
    const { service, call } = await makeEnvironment();
    for (const format of ['docker', 'github']) {
      const { stdout } = await call('env', '--format', format);
      expect(stdout).toContain(`SCALEKIT_ENVIRONMENT_URL=${service.url}\n`);
      expect(stdout).toMatch(/^SCALEKIT_CLIENT_ID=skc_\S+$/m);
    }
  });
});

describe('understudy token', () => {
  it('prints a token that the service accepts in that environment', async () => {
    const { service, text } = await makeEnvironment();
    const token = (await text('token')).trim();
    await service.anonymous.get(ORGANIZATIONS).set('authorization', `Bearer ${token}`).expect(200);
  });
});

describe('understudy requests and mail', () => {
  it('print the failed calls with their reasons', async () => {
    const { service, text } = await makeEnvironment();
    const token = (await text('token')).trim();
    const asked = service.anonymous.get(`${ORGANIZATIONS}/org_404`).set('authorization', `Bearer ${token}`);
    await asked.expect(404);
    const lines = (await text('requests', '--failed', '--why')).split('\n');
    expect(lines[0]).toMatch(/^404 GET \/api\/v1\/organizations\/org_404 \S+ \d+(\.\d+)? ms req_/);
    expect(lines[1]).toMatch(/^ {4}\S/);
  });

  it('take calls that ended without an answer for failed, but not those under way', async () => {
    const { service, name, text, call } = await makeEnvironment();
    const tail = start(['tail', '--failed', '--url', service.url, '--environment', name]);
    await eventually(
      () => tail.output.stderr,
      (stderr) => stderr.includes(name),
    );
    await text('scenarios', 'load', 'dropped-connections', 'operation=RolesService_ListRoles');
    await text('scenarios', 'load', 'slow-answers', 'operation=OrganizationService_*', 'delay=1m');
    const token = (await text('token')).trim();
    const headers = { authorization: `Bearer ${token}` };

    const leaving = new AbortController();
    const { signal } = leaving;
    const underWay = fetch(`${service.url}${ORGANIZATIONS}`, { headers, signal }).catch(() => {});
    await eventually(
      () => call('requests'),
      ({ stdout }) => stdout.includes(ORGANIZATIONS),
    );
    await expect(fetch(`${service.url}/api/v1/roles`, { headers })).rejects.toThrow('fetch failed');

    const dropped = /^- GET \/api\/v1\/roles RolesService_ListRoles \S+ ms req_\d+\n/;
    expect(await text('requests', '--failed')).toMatch(new RegExp(`${dropped.source}$`));
    expect(await text('requests')).toContain(`- GET ${ORGANIZATIONS}`);
    expect(await tail.line(/.*\n/)).toMatch(dropped);
    expect(await text('explain')).toContain('/api/v1/roles');
    leaving.abort();
    await underWay;
  });

  it('say on stderr that there is nothing to print', async () => {
    const { call } = await makeEnvironment();
    expect(await call('requests')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'no calls\n',
    });
    expect(await call('mail')).toMatchObject({ code: 0, stdout: '', stderr: 'no mails\n' });
    expect(await call('snapshot', 'list')).toMatchObject({ code: 0, stdout: '', stderr: 'no snapshots\n' });
    expect(await call('mail', '--json')).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
  });

  it('print mails with their links', async () => {
    const { service, text } = await makeEnvironment();
    const token = (await text('token')).trim();
    await service.anonymous
      .patch('/api/v1/invites/organizations/org_10000000000000002/users/usr_10000000000000105/resend')
      .set('authorization', `Bearer ${token}`)
      .send({})
      .expect(200);
    expect(await text('mail')).toMatch(/^mail invitation\S* to lena@nordwind\.example: /m);
    expect(await text('mail')).toMatch(/^ {4}link http/m);
  });
});

describe('the output of a command', () => {
  it('replaces control characters, which a terminal would obey', async () => {
    const { service, name, text } = await makeEnvironment();
    const user = '/state/users/usr_10000000000000105';
    const email = 'lena\u001b]0;owned\u0007@nordwind.example';
    await service.control.patch(user).set('understudy-environment', name).send({ email });
    await service.control
      .patch('/state/organizations/org_10000000000000002')
      .set('understudy-environment', name)
      .send({ display_name: 'Nord\u001b[31mwind' })
      .expect(200);
    const token = (await text('token')).trim();
    await service.anonymous
      .patch('/api/v1/invites/organizations/org_10000000000000002/users/usr_10000000000000105/resend')
      .set('authorization', `Bearer ${token}`)
      .send({})
      .expect(200);

    const mails = await text('mail');

    expect(mails).toContain('Nord?[31mwind');
    expect(mails).not.toMatch(/(?!\n)\p{Cc}/u);
  });
});

describe('understudy idp', () => {
  it('lets a person come and go, and says what was pushed', async () => {
    const { text, json, call } = await makeEnvironment();

    expect(
      await text('idp', 'create', 'mia@acme.example', '--given-name', 'Mia', '--group', 'Finance'),
    ).toMatch(
      /^okta user mia@acme.example: DONE\n {2}GET \/Users.* 200\n {2}POST \/Users 201\nokta group Finance: DONE/m,
    );
    expect(await text('idp', 'offboard', 'mia@acme.example', '--late', '40m')).toMatch(
      /^okta user mia@acme.example: QUEUED, next attempt at /,
    );
    await text('clock', 'advance', '40m');
    expect(await text('idp')).toMatch(
      /^okta {2}dir_10000000000000601 {2}4 people {2}2 groups {2}0 pushes to do$/m,
    );
    const { pushes } = await json('idp', 'patch', 'ada@acme.example', '{"schemas":[]}', '--provider', 'okta');
    expect(pushes[0].attempts[0].requests).toMatchObject([{ method: 'PATCH', status: 400 }]);
    const { code, stderr } = await call('idp', 'offboard', 'mina@acme.example', '--provider', 'okta');
    expect(code).toBe(1);
    expect(stderr).toContain('did you mean mia@acme.example?');
  });
});

describe('understudy trigger', () => {
  it('emits an event, which an inbox receives', async () => {
    const { service, name, json, call } = await makeEnvironment();
    const inbox = service.control.post('/webhooks/endpoints').set('understudy-environment', name);
    await inbox.send({ kind: 'inbox' }).expect(201);
    const event = await json('trigger', 'organization.created', '--set', 'display_name=Acme Corp');
    expect(event.data).toMatchObject({ display_name: 'Acme Corp' });
    const old = await json(
      'trigger',
      'scalekit.dir.user.create',
      '--like',
      'organization.directory.user_created',
    );
    expect(old).toMatchObject({ type: 'scalekit.dir.user.create', object: 'DirectoryUser' });
    const { code, stderr } = await call('trigger', 'organization.creatd');
    expect([code, stderr]).toEqual([1, expect.stringContaining('did you mean organization.created?')]);
  });
});

describe('understudy tail', () => {
  it('prints each call as it happens, and ends with its environment', async () => {
    const { service, name, text } = await makeEnvironment();
    const tail = start(['tail', '--why', '--url', service.url, '--environment', name]);
    await eventually(
      () => tail.output.stderr,
      (stderr) => stderr.includes(name),
    );
    const token = (await text('token')).trim();
    const asked = service.anonymous.get(`${ORGANIZATIONS}/org_404`).set('authorization', `Bearer ${token}`);
    await asked.expect(404);
    expect(await tail.line(/404 GET .*\n {4}\S.*/)).toContain('org_404');
    await service.control.delete(`/environments/${name}`).expect(204);
    expect(await tail.exited).toMatchObject({ code: 0 });
  });
});

describe('understudy tail --all', () => {
  it('prints what happens in every environment, with its name, although environments end meanwhile', async () => {
    const { service, name, text, call } = await makeEnvironment();
    const tail = start(['tail', '--all', '--why', '--url', service.url]);
    await eventually(
      () => tail.output.stderr,
      (stderr) => stderr.includes('following every environment'),
    );

    const token = (await text('token')).trim();
    const calling = () =>
      service.anonymous.get(`${ORGANIZATIONS}/org_404`).set('authorization', `Bearer ${token}`).expect(404);
    await calling();
    await service.anonymous.get(ORGANIZATIONS).expect(401);
    await call('trigger', 'organization.created');
    await calling();
    await service.control.delete(`/environments/${name}`).expect(204);
    await service.control.post('/environments').send({ name: 'later' }).expect(201);
    await service.control.post('/environments/later/clock/advance').send({ by: '1h' }).expect(200);

    const answered = await tail.line(new RegExp(`^${name} \\| 404 GET .*\n${name} \\|  {4}\\S.*`, 'm'));
    expect(answered).toContain('org_404');
    expect(await tail.line(/^default \| 401 GET .*$/m)).toContain(ORGANIZATIONS);
    expect(await tail.line(/^default \| environment .*: dropped$/m)).toContain(name);
    expect(await tail.line(/^later \| clock .*$/m)).toContain('(offset 1h)');
    await service.stop();
    expect(await tail.exited).toMatchObject({ code: 0 });
  });

  it('names the environment in each line of JSON', async () => {
    const { service, name } = await makeEnvironment();
    const tail = start(['tail', '--all', '--json', '--kinds', 'clock', '--url', service.url]);
    await eventually(
      () => tail.output.stderr,
      (stderr) => stderr.includes('following every environment'),
    );

    await service.control.post(`/environments/${name}/clock/advance`).send({ by: '1h' }).expect(200);

    expect(JSON.parse(await tail.line(/^\{.*\}$/m))).toMatchObject({
      kind: 'clock',
      data: { environment: name, offset_ms: 3_600_000 },
    });
    await service.stop();
    await tail.exited;
  });
});

describe('understudy requests --test', () => {
  const keep = (service: Service, name: string, test: string, outcome = 'failed') =>
    service.control.post(`/environments/${name}/keep`).send({ test, outcome }).expect(200);

  it('prints the calls of tests under their names, the latest test last', async () => {
    const { service, name, call, text } = await makeEnvironment();
    const token = (await text('token')).trim();
    const authorization = `Bearer ${token}`;
    await service.anonymous.get(`${ORGANIZATIONS}/org_404`).set({ authorization }).expect(404);
    await service.control.post('/environments').send({ name: 'quiet' }).expect(201);
    await keep(service, name, 'roles.test.ts > a role is created');
    await keep(service, 'quiet', 'users.test.ts > a user is created', 'passed');
    const requests = (...args: string[]) => run(['requests', '--url', service.url, ...args]);

    const both = await requests('--test', 'created', '--failed', '--why');
    const one = await requests('--test', 'ROLE test', '--json');
    const none = await requests('--test', 'deleted');

    expect(both.stdout.split('\n')).toEqual([
      `roles.test.ts > a role is created (failed, environment ${name})`,
      expect.stringMatching(/^ {2}404 GET \S+org_404 /),
      `      No organization has the id org_404 in environment ${name}.`,
      expect.stringMatching(/^ {6}\S/),
      'users.test.ts > a user is created (passed, environment quiet)',
      '  no calls',
      '',
    ]);
    expect(JSON.parse(one.stdout)).toMatchObject([
      {
        environment: name,
        kept: { test: 'roles.test.ts > a role is created', outcome: 'failed' },
        requests: [{ operation: 'OAuth_Token' }, { status: 404 }],
      },
    ]);
    expect(none).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'understudy: no environment is kept for a test with the words deleted; kept: users.test.ts > a user is created, roles.test.ts > a role is created\n',
    });
    expect((await call('env', 'list')).stdout).toMatch(
      /^quiet +\S+ +kept for users\.test\.ts > a user is created \(passed\)$/m,
    );
  });

  it('says how environments are kept if there is none', async () => {
    const service = await serve();

    const { code, stderr } = await run(['requests', '--test', 'any', '--url', service.url]);

    expect([code, stderr]).toEqual([
      1,
      'understudy: no environment is kept for a test: run the tests with UNDERSTUDY_KEEP=failed, and with UNDERSTUDY_URL\n',
    ]);
  });
});

describe('understudy tail --kinds state', () => {
  it('prints which rows change', async () => {
    const { service, name, text } = await makeEnvironment();
    const tail = start(['tail', '--kinds', 'state', '--url', service.url, '--environment', name]);
    await eventually(
      () => tail.output.stderr,
      (stderr) => stderr.includes(name),
    );
    await text('state', 'patch', 'organizations', 'org_10000000000000002', 'display_name=Other');
    expect(await tail.line(/^state .*$/m)).toBe(
      'state /organizations/org_10000000000000002/display_name: changed',
    );
    await service.control.delete(`/environments/${name}`).expect(204);
    await tail.exited;
  });
});

describe('a command that calls a service', () => {
  it('explains what to do when the service is unreachable', async () => {
    const url = `http://localhost:${await freePort()}`;
    const { code, stderr } = await run(['clock', '--url', url]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`nothing answers at ${url}: start the service`),
    ]);
  });

  it.each([
    [
      ['clock', 'set', 'yesterday'],
      'yesterday must be real, an offset such as now-14d, or a time such as 2030-01-01T09:00:00Z',
    ],
    [['state', 'patch', 'organizations', 'org_1', 'name'], 'name has no value: write name=VALUE'],
    [['state', 'patch', 'organizations', 'org_1', '{"a":'], '{"a": is not JSON'],
    [['scenarios', 'load', './nowhere.yaml'], './nowhere.yaml'],
    [['mail', '--open'], 'none of these mails has a link'],
  ])('reports in one line what is wrong with %j', async (args, complaint) => {
    const { call } = await makeEnvironment();
    const { code, stderr } = await call(...args);
    expect([code, stderr.split('\n').length]).toEqual([1, 2]);
    expect(stderr).toContain(complaint);
  });

  it.each([
    ['clock advence 25h', 'unknown command clock advence; did you mean advance?'],
    ['env craete', 'unknown command env craete; did you mean create?'],
    ['stat get', 'unknown command stat; did you mean state?'],
    ['environments', 'unknown command environments; did you mean env?'],
    ['help resett', 'unknown command resett; did you mean reset?'],
    ['help clock advence', 'unknown command clock advence; did you mean advance?'],
  ])('names the nearest command: %s', async (line, complaint) => {
    expect(await run(line.split(' '))).toMatchObject({ code: 1, stderr: `error: ${complaint}\n` });
  });

  it('may stand behind --', async () => {
    const { code, stdout } = await run(['--', 'help']);

    expect([code, /^ +tail /m.test(stdout)]).toEqual([0, true]);
  });

  it('says when another program answers', async () => {
    const other = createServer((_, response) => void response.end('hello')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { code, stderr } = await run(['clock', '--url', url]);
    other.close();
    expect([code, stderr]).toEqual([1, expect.stringContaining(`the server at ${url} is not Understudy`)]);
  });

  it('states its exit codes in the help', async () => {
    expect((await run(['clock', 'advance', '--help'])).stdout).toContain('Exit codes: 0 if');
    expect((await run(['healthcheck', '--help'])).stdout).toContain('Exit codes: 0 if');
  });

  it('has the same help after help and before --help', async () => {
    const { stdout } = await run(['help', 'clock', 'set']);
    expect(stdout).toMatch(/^Usage: understudy clock set /);
    expect(stdout).toBe((await run(['clock', 'set', '--help'])).stdout);
  });

  it('has --environment in the help only if it is about one', async () => {
    expect((await run(['state', 'get', '--help'])).stdout).toContain('--environment');
    expect((await run(['env', 'list', '--help'])).stdout).not.toContain('--environment');
  });
});

describe('understudy completion', () => {
  it.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
    const { code, stdout } = await run(['completion', shell]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('understudy')]);
  });

  it('completes the commands of a group', async () => {
    const { stdout } = await run(['complete', '--', 'clock', '']);
    expect(stdout).toContain('advance');
    expect((await run(['complete', '--', 'scenarios', ''])).stdout).toContain('unload');
  });
});
