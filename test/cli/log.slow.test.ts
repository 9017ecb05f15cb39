import { describe, expect, it } from 'vitest';
import { boot } from '../support/boot.ts';
import { eventually, run, serve, start } from '../support/process.ts';

const ACME = '/api/v1/organizations/org_10000000000000001';

describe('--log-level', () => {
  it('info logs a line for each API call, and none for calls of the control API', async () => {
    const service = await serve(['--log-level', 'info']);
    const api = await service.login();
    await api.get(`${ACME}?a=1`).expect(200);
    await service.anonymous.get('/nowhere').expect(404);
    await service.control.get('/requests').expect(200);
    const { stderr } = await service.stop();

    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^info: POST \/oauth\/token 200 OAuth_\w+ [\d.]+ ms default req_1$/),
      expect.stringMatching(
        /^info: GET \/api\/v1\/organizations\/org_10000000000000001 200 OrganizationService_GetOrganization [\d.]+ ms default req_2$/,
      ),
      expect.stringMatching(/^info: GET \/nowhere 404 - [\d.]+ ms default req_3$/),
    ]);
  });

  it('is info by default, and lines are written while the service runs', async () => {
    const { child, line, output } = start(['serve', '--memory', '--port', '0', '--json']);
    const { url } = JSON.parse(await line(/^\{.*\}$/m)) as { url: string };
    await fetch(`${url}/nowhere`);
    await eventually(
      () => output.stderr,
      (text) => text.includes('info: GET /nowhere 404'),
    );
    child.kill('SIGTERM');
  });

  it('warn logs no calls', async () => {
    const service = await serve(['--log-level', 'warn']);
    await service.anonymous.get('/nowhere').expect(404);
    expect((await service.stop()).stderr).toBe('');
  });
});

describe('--log-format json', () => {
  it('writes one object for each line, with the members of the call', async () => {
    const variables = { UNDERSTUDY_LOG_FORMAT: 'json', UNDERSTUDY_LOG_LEVL: 'x' };
    const service = await serve(['--log-level', 'debug'], { variables });
    await service.anonymous.get('/ui/invitation/default.Zm9vYmFyYmF6cXV4MDEyMzQ1Njc4OQ');
    await service.anonymous.post('/api/v1/organizations').set('authorization', 'Bearer wrong').expect(401);
    await service.anonymous.get('/api/v1/users').set('x-sdk-version', 'Scalekit-Node/2.11.0').expect(401);
    const lines = (await service.stop()).stderr.trim().split('\n');

    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const call = { level: 'info', time, environment: 'default', duration_ms: expect.any(Number) };
    const objects = lines.map((line) => JSON.parse(line) as object);
    expect(objects).toContainEqual({
      level: 'warn',
      time,
      msg: expect.stringContaining('did you mean UNDERSTUDY_LOG_LEVEL?'),
    });
    expect(objects).toContainEqual({
      ...call,
      method: 'GET',
      path: '/ui/invitation/[redacted]',
      operation: 'InvitationPage_Show',
      status: 404,
      request_id: 'req_1',
      msg: expect.stringContaining('/ui/invitation/[redacted] 404'),
    });
    expect(objects).toContainEqual({
      ...call,
      method: 'GET',
      path: '/api/v1/users',
      operation: 'UserService_ListUsers',
      status: 401,
      expected: 'call_without_token',
      request_id: 'req_3',
      msg: expect.stringContaining('(the SDK gets a token after this)'),
    });
    expect(objects).toContainEqual({
      level: 'debug',
      time,
      environment: 'default',
      request_id: 'req_2',
      msg: expect.stringMatching(/^req_2 why: /),
    });
  });
});

describe('--log-level debug', () => {
  it('logs why a call got its response', async () => {
    const { api, control, lines } = await boot({ logLevel: 'debug' });
    await control.post('/scenarios').send({ name: 'rate-limit-once' }).expect(201);
    await api.get(ACME).expect(429);
    await api.post('/api/v1/organizations').send({ display_name: '', colour: 'red' }).expect(400);

    const output = lines.join('');
    expect(output).toMatch(/^debug: POST \/_control\/v1\/scenarios 201 \(control API\)$/m);
    expect(output).toMatch(/^debug: req_2 rules: .*rate-limit-once/m);
    expect(output).toMatch(/^debug: req_3 why: "The request breaks the contract: .*display_name/m);
    expect(output).toMatch(/^debug: req_3 violations: .*display_name/m);
    expect(output).toMatch(/^debug: req_3 unknown fields: \["colour"\]$/m);
  });

  it('never logs a secret, even when the journal may show it', async () => {
    const journal = { entries: 10, bytes: 1_000_000, redact: false };
    const { anonymous, token, lines } = await boot({ logLevel: 'debug', journal });
    const secret = 'test_secret_that_nobody_may_read';
    const form = {
      grant_type: 'client_credentials',
      client_id: 'skc_1000000000000000001',
      client_secret: secret,
    };
    await anonymous.post('/oauth/token').type('form').send(form).expect(401);
    await anonymous.get('/ui/invitation/default.Zm9vYmFyYmF6cXV4MDEyMzQ1Njc4OQ');
    await anonymous.get(`/api/v1/users?access_token=${token}`);

    expect(lines.join('')).toContain('/ui/invitation/[redacted] ');
    for (const hidden of [secret, token, 'Zm9vYmFyYmF6']) expect(lines.join('')).not.toContain(hidden);
  });

  it('logs each call on one line', async () => {
    const { anonymous, lines } = await boot({ logLevel: 'info' });
    await anonymous.get(`/${'x'.repeat(1000)}%0Ainfo:%20forged`).expect(404);
    const [line = ''] = lines.filter((each) => each.includes('xxx'));
    expect([line.split('\n').length, line.length < 400]).toEqual([2, true]);
  });
});

describe('unknown environment variables', () => {
  it('are logged at the start with the nearest name', async () => {
    const variables = {
      UNDERSTUDY_LOG_LEVL: 'debug',
      UNDERSTUDY_CONTROL_TOKN: 'x',
      UNDERSTUDY_SERVICE_HOST: '10.0.0.1',
      UNDERSTUDY_PORT_8080_TCP_ADDR: '10.0.0.1',
      UNDERSTUDY_CLIENT_ID: 'skc_1',
    };
    const { stderr } = await (await serve([], { variables })).stop();

    expect(stderr.trim().split('\n')).toEqual([
      'warn: unknown variable UNDERSTUDY_LOG_LEVL: it has no effect; did you mean UNDERSTUDY_LOG_LEVEL?',
      'warn: unknown variable UNDERSTUDY_CONTROL_TOKN: it has no effect; did you mean UNDERSTUDY_CONTROL_TOKEN?',
    ]);
  });

  it('do not include the address that Kubernetes writes into UNDERSTUDY_PORT', async () => {
    const variables = { UNDERSTUDY_PORT: 'tcp://10.0.0.1:8080' };
    const { code, stderr } = await run(['healthcheck', '--port', '9'], { variables });
    expect([code, stderr]).toEqual([1, expect.stringContaining('http://127.0.0.1:9')]);
  });
});
