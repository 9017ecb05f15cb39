import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder, serve, type Service } from '../support/process.ts';

const LIST = 'OrganizationService_ListOrganization';
const ORGANIZATIONS = '/api/v1/organizations';
const FAIL = ['--fail-on-unused-rules'];

const rules = [
  { on: LIST, times: 1, reply: { error: 'rate_limited' } },
  { on: 'ToolService_ExecuteTool', reply: { error: 'tool_error' } },
  {
    on: { method: 'GET', path: ORGANIZATIONS },
    when: { query: { page_size: '7' } },
    reply: { error: 'unavailable' },
  },
];

const load = (service: Service, scenario: object) =>
  service.control.post('/scenarios').send(scenario).expect(201);

describe('--fail-on-unused-rules', () => {
  it('makes the stop fail and lists each rule that never applied', async () => {
    const service = await serve([...FAIL, '--scenario', 'tool-failure']);
    const api = await service.login();
    await load(service, { name: 'own', rules });
    await api.get(ORGANIZATIONS).expect(429);

    const { code, stderr } = await service.stop();

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: [
        'understudy: 3 rules were loaded and never applied',
        '  tool-failure rules[0], on ToolService_ExecuteTool, scenarios/tool-failure.yaml',
        '  own rules[1], on ToolService_ExecuteTool',
        '  own rules[2], on {"method":"GET","path":"/api/v1/organizations"}',
        '',
      ].join('\n'),
    });
  });

  it('makes the stop succeed when every rule applied at some time in some environment', async () => {
    const service = await serve(FAIL);
    const api = await service.login();
    const [first] = rules;
    await service.control.post('/environments').send({ name: 'worker' }).expect(201);
    await service.control
      .post('/environments/worker/scenarios')
      .send({ name: 'own', rules: [first] })
      .expect(201);
    await load(service, { name: 'own', rules: [first] });
    await api.get(ORGANIZATIONS).expect(429);
    await service.control.delete('/environments/worker').expect(204);
    await load(service, { name: 'own', rules: [first] });
    await service.control.delete('/coverage?environments=all').expect(204);
    await service.control.post('/reset').expect(204);

    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  it('asks for one rule of a shipped scenario, and for each rule of a scenario of the user', async () => {
    const cwd = makeFolder();
    const text =
      'name: both\nrules:\n' +
      rules
        .slice(0, 2)
        .map((rule) => `  - ${JSON.stringify(rule)}\n`)
        .join('');
    mkdirSync(join(cwd, 'scenarios'));
    writeFileSync(join(cwd, 'scenarios', 'both.yaml'), text);
    const service = await serve([...FAIL, '--scenarios', 'scenarios', '--scenario', 'invite-expired'], {
      cwd,
    });
    const api = await service.login();
    await api
      .patch('/api/v1/invites/organizations/org_10000000000000002/users/usr_10000000000000105/resend')
      .expect(200);
    await service.control.post('/scenarios').send({ name: 'both' }).expect(201);
    await api.get(ORGANIZATIONS).expect(429);

    expect(await service.stop()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^understudy: a rule was loaded and never applied\n  both rules\[1\], .*\n$/,
      ),
    });
  });

  it.each([
    ['unloaded', (service: Service) => service.control.delete('/scenarios/own').expect(204)],
    ['reset', (service: Service) => service.control.post('/reset').expect(204)],
    ['replaced', (service: Service) => load(service, { name: 'own', rules: [] })],
    ['cleared from coverage', (service: Service) => service.control.delete('/coverage').expect(204)],
  ])('counts rules that were %s', async (_, takeAway) => {
    const service = await serve(FAIL);
    await load(service, { name: 'own', rules: [rules[0]] });
    await takeAway(service);

    expect(await service.stop()).toMatchObject({
      code: 1,
      stderr: `understudy: a rule was loaded and never applied\n  own rules[0], on ${LIST}\n`,
    });
  });

  it('counts rules of deleted environments', async () => {
    const service = await serve(FAIL);
    await service.control
      .post('/environments')
      .send({ name: 'worker', scenarios: ['tool-failure'] })
      .expect(201);
    await service.control.delete('/environments/worker').expect(204);

    const { code, stderr } = await service.stop();

    expect(code).toBe(1);
    expect(stderr).toContain(
      '  tool-failure rules[0], on ToolService_ExecuteTool, scenarios/tool-failure.yaml\n',
    );
  });

  it('is off by default, and can be set by a variable', async () => {
    const quiet = await serve(['--scenario', 'tool-failure']);
    const asked = await serve(['--scenario', 'tool-failure'], {
      variables: { UNDERSTUDY_FAIL_ON_UNUSED_RULES: 'true' },
    });

    expect(await quiet.stop()).toMatchObject({ code: 0, stderr: '' });
    expect(await asked.stop()).toMatchObject({ code: 1 });
  });
});
