import { describe, expect, it } from 'vitest';
import { run, serve } from '../../../test/support/process.ts';

describe('understudy explain', () => {
  it('says why a call failed and what is known of its operation', async () => {
    const service = await serve();
    const api = await service.login();
    await api.delete('/api/v1/roles/none').expect(404);
    await api.get('/api/v1/roles').expect(200);

    const latest = await run(['explain', '--url', service.url]);
    const named = await run(['explain', 'req_3', '--url', service.url, '--json']);

    expect(latest).toMatchObject({ code: 0, stderr: '' });
    const lines = latest.stdout.split('\n');
    expect(lines[0]).toBe(
      'req_2 DELETE /api/v1/roles/none (RolesService_DeleteRole) → 404: role none not found',
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^ {2}Evidence for this operation: driven\. Driven by Official SDK for Node /),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^ {2}A guess about this operation: .* \(.*guesses\/roles\.html#roles[a-z-]+\)$/),
    );
    expect(JSON.parse(named.stdout)).toMatchObject({
      call: { id: 'req_3' },
      evidence: { state: 'driven', unknown: expect.any(Array) },
    });
  });

  it('names the guess that decided the call first', async () => {
    const service = await serve();
    const api = await service.login();
    await api.delete('/api/v1/roles/admin').expect(400);

    const { stdout } = await run(['explain', '--url', service.url]);

    const guesses = stdout.split('\n').filter((line) => line.includes('A guess'));
    expect(guesses[0]).toBe(
      '  A guess decided this call: Deleting a default role of the environment is refused with 400 FAILED_PRECONDITION. ' +
        'The documentation does not say what happens to the defaults. ' +
        `(${service.url}/_control/docs/guesses/roles.html#rolesdelete-default-role)`,
    );
    expect(guesses[1]).toMatch(/^ {2}A guess about this operation: /);
  });

  it('names commands and pages that help, and none after a success', async () => {
    const service = await serve();
    const api = await service.login();
    const next = async () => {
      const { stdout } = await run(['explain', '--url', service.url]);
      return stdout.split('\n').filter((line) => line.startsWith('  Next: '));
    };

    await api.get('/api/v1/roles').expect(200);
    const afterSuccess = await next();
    await api.get('/api/v9/things').expect(404);
    const afterUnknown = await next();
    await service.anonymous.get('/api/v1/roles').expect(401);
    const afterRefusal = await next();
    await service.control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);
    await api.get('/api/v1/roles').expect(429);
    const afterScenario = await next();

    const fixing = (id: string) =>
      `  Next: understudy fix ${id} --url ${service.url} lists what would help; understudy trace ${id} --url ${service.url} shows what it caused.`;
    expect(afterSuccess).toEqual([]);
    expect(afterUnknown).toEqual([
      `  Next: ${service.url}/_control/#/default/reference lists the operations, and searches them by words and paths.`,
      fixing('req_3'),
    ]);
    expect(afterRefusal).toEqual([
      `  Next: understudy token --url ${service.url} prints a token; send it in the header authorization, after "Bearer ".`,
      fixing('req_4'),
    ]);
    expect(afterScenario).toEqual([
      `  Next: understudy scenarios unload rate-limit-once --url ${service.url} undoes the rule; understudy scenarios list --url ${service.url} shows what is loaded.`,
      fixing('req_5'),
    ]);
    const [, command] = /understudy (scenarios unload .*?) undoes/.exec(afterScenario[0]!)!;
    expect(await run(command!.split(' '))).toMatchObject({ code: 0 });
  });

  it('says so if there is no call', async () => {
    const service = await serve();

    const none = await run(['explain', '--url', service.url]);

    expect(none).toMatchObject({
      code: 1,
      stderr: 'understudy: the journal of the environment has no call\n',
    });
  });
});

describe('understudy explain after a test', () => {
  it('says how to keep the environment for a look at it, if service or environment is gone', async () => {
    const service = await serve();
    const how =
      /To look at them .*: start `npx understudy-server --memory`, then run the tests with UNDERSTUDY_URL=/;

    const ofEnvironment = await run(['explain', '--environment', 'env-3', '--url', service.url]);
    const ofService = await run(['explain', '--environment', 'env-3', '--url', 'http://127.0.0.1:9']);

    for (const { code, stderr } of [ofEnvironment, ofService])
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(how) });
  });
});

describe('understudy trace', () => {
  it('prints what a call caused, with the times of both clocks where they differ', async () => {
    const service = await serve();
    await service.control.put('/clock').send({ mode: 'frozen', at: '2030-01-01T00:00:00Z' }).expect(200);
    const api = await service.login();
    const created = await api.post('/api/v1/organizations').send({ display_name: 'Acme' }).expect(201);
    const { id } = created.body.organization;

    const ofCall = await run(['trace', created.headers['understudy-request-id']!, '--url', service.url]);
    const ofRow = await run(['trace', id, '--url', service.url]);
    const unknown = await run(['trace', 'org_404', '--url', service.url]);

    const lines = ofCall.stdout.split('\n');
    expect(lines[0]).toMatch(
      /^req_\d+ POST \/api\/v1\/organizations \(Organ.*\) → 201 \[2030-01-01T00:00:00\.000Z; machine 20.*Z\]$/,
    );
    expect(lines[1]).toBe(`  created organizations/${id}`);
    expect(lines[2]).toMatch(/^ {2}event organization\.created \(evt_\d+\) \[2030-01-01T00:00:00\.000Z\]$/);
    expect(ofRow.stdout).toBe(ofCall.stdout);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('call or row ') });
  });
});

describe('understudy fix', () => {
  it('lists what would help, and does nothing else unless it is asked', async () => {
    const service = await serve();
    const api = await service.login();
    const refused = await api.get('/api/v1/organizations/org_404').expect(404);
    const id = refused.headers['understudy-request-id']!;
    const fix = (...args: string[]) => run(['fix', id, ...args, '--url', service.url]);

    const listed = await fix();
    const python = await fix('--as', 'python');
    await api.get('/api/v1/organizations/org_404').expect(404);
    const done = await fix('--do', '1');

    const [call, create, list, again, next] = listed.stdout.split('\n');
    expect(call).toMatch(new RegExp(`^${id} GET /api/v1/organizations/org_404 `));
    expect(create).toBe('  1  Create organizations/org_404.  PUT /_control/v1/state/organizations/org_404');
    expect([list, again]).toEqual([
      '  2  List the organizations.  GET /_control/v1/state/organizations',
      '  3  Send the call again.  GET /api/v1/organizations/org_404',
    ]);
    expect(next).toBe(`understudy fix ${id} --do 1 does the first one.`);
    expect(python.stdout).toContain('env.state.put("organizations", "org_404", {"display_name": "org_404"})');
    expect(done.stdout).toMatch(/^Create organizations\/org_404\. → 200 \{/);
    await api.get('/api/v1/organizations/org_404').expect(200);
  });

  it('names the languages that it writes', async () => {
    const service = await serve();
    await service.anonymous.get('/api/v1/roles').expect(401);

    const { code, stderr } = await run(['fix', '--as', 'ruby', '--url', service.url]);

    expect({ code, stderr }).toEqual({
      code: expect.any(Number),
      stderr: expect.stringContaining('--as takes curl, typescript, python, go, java, not ruby'),
    });
  });
});
