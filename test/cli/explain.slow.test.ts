import { describe, expect, it } from 'vitest';
import { run, serve } from '../support/process.ts';

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

    expect(afterSuccess).toEqual([]);
    expect(afterUnknown).toEqual([
      `  Next: ${service.url}/_control/#/default/reference lists the operations, and searches them by words and paths.`,
    ]);
    expect(afterRefusal).toEqual([
      `  Next: understudy token --url ${service.url} prints a token; send it in the header authorization, after "Bearer ".`,
    ]);
    expect(afterScenario).toEqual([
      `  Next: understudy scenarios unload rate-limit-once --url ${service.url} undoes the rule; understudy scenarios list --url ${service.url} shows what is loaded.`,
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
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('neither a call nor a row') });
  });
});
