import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort, makeFolder, run, serve, start, type Service } from '../support/process.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const KNOWN = { client_id: 'skc_1000000000000000001', client_secret: 'test_understudy_default_secret' };
const NORTHWIND = { display_name: 'Northwind' };

type Setting = [string, { args: string[]; variables: Record<string, string> }];

/** A setting as a flag and as an environment variable. */
function flagAndVariable(flag: string, value?: string): Setting[] {
  const variable = `UNDERSTUDY_${flag.slice(2).toUpperCase().replaceAll('-', '_')}`;
  return [
    [flag, { args: value === undefined ? [flag] : [flag, value], variables: {} }],
    [variable, { args: [], variables: { [variable]: value ?? '1' } }],
  ];
}

async function organizationsOf(service: Service): Promise<string[]> {
  const api = await service.login();
  const { body } = await api.get('/api/v1/organizations?page_size=30').expect(200);
  return body.organizations.map(({ display_name }: { display_name: string }) => display_name);
}

async function scenariosOf({ control }: Service): Promise<string[]> {
  const { body } = await control.get('/scenarios').expect(200);
  return body.loaded.map(({ name }: { name: string }) => name);
}

async function issuerOf({ anonymous }: Service, headers: Record<string, string> = {}): Promise<string> {
  const { body } = await anonymous.get('/.well-known/openid-configuration').set(headers).expect(200);
  return body.issuer;
}

describe('understudy serve, when it is ready', () => {
  it('prints exactly one line on stdout with --json, and everything else on stderr', async () => {
    const data = makeFolder();
    writeFileSync(join(data, 'default.log'), '{"posi');

    const service = await serve(['--data', data]);
    await service.control.get('/health').expect(200, { status: 'ok', version });
    const { stdout, stderr } = await service.stop();

    expect(stdout).toBe(`${JSON.stringify({ url: service.url, ...KNOWN, version })}\n`);
    expect(stderr).toMatch(/^warn: .*default\.log:1: the last line was not finished.*\n$/);
  });

  it.each([
    ['ada@acme.exampel', '; did you mean ada@acme.example?'],
    ['who@elsewhere.test', '; known: ada@acme.example, '],
  ])('warns when --auto-login names an unknown user: %s', async (email, hint) => {
    const service = await serve(['--memory', '--auto-login', email]);

    const { stderr } = await service.stop();

    expect(stderr).toContain(`warn: --auto-login: no user has the address ${email} yet${hint}`);
  });

  it('warns when --proxy-to names an unknown provider', async () => {
    const to = ['githb=http://localhost:1', 'slack=http://localhost:2'].flatMap((each) => [
      '--proxy-to',
      each,
    ]);
    const service = await serve(['--memory', ...to]);

    const { stderr } = await service.stop();

    expect(stderr).toBe('warn: --proxy-to: there is no provider githb yet; did you mean github?\n');
  });

  it('does not warn when --auto-login names a user of the fixture', async () => {
    const service = await serve(['--memory', '--auto-login', 'Ada@acme.example']);

    expect((await service.stop()).stderr).toBe('');
  });

  it('prints the same line when UNDERSTUDY_JSON is set', async () => {
    const started = start(['serve', '--memory', '--port', '0'], { variables: { UNDERSTUDY_JSON: 'true' } });

    const line = await started.line(/^\{.*\}$/m);

    expect(JSON.parse(line)).toEqual({ url: expect.stringMatching(/^http:/), ...KNOWN, version });
  });

  it('prints the URL, the credentials and the addresses of dashboard and documents', async () => {
    const { output, line } = start(['serve', '--memory', '--port', '0']);

    const [, url] = /at (http.*)/.exec(await line(/ready at http:\S+/))!;

    expect(output.stdout.split('\n').map((each) => each.trim())).toEqual([
      `Understudy ${version} is ready at ${url}`,
      '',
      `client_id      ${KNOWN.client_id}`,
      `client_secret  ${KNOWN.client_secret}`,
      `dashboard      ${url}/_control/`,
      `API document   ${url}/openapi.json`,
      `control API    ${url}/_control/v1/openapi.json`,
      'state          in memory',
      '',
      '',
    ]);
  });

  it.each([
    ['localhost', []],
    ['localhost', ['--host', '0.0.0.0']],
    ['[::1]', ['--host', '::1']],
    ['auth.example.test', ['--base-url', 'http://auth.example.test']],
  ])('names the host %s to people with %j', async (host, args) => {
    const { line } = start(['serve', '--memory', '--port', '0', ...args]);

    const [, url] = /at (http.*)/.exec(await line(/ready at http:\S+/))!;

    expect(new URL(url!).hostname).toBe(host);
  });

  it('is the default command', async () => {
    const started = start(['--memory', '--port', '0', '--json']);

    await expect(started.line(/^\{.*\}$/m)).resolves.toContain(KNOWN.client_id);
  });
});

describe('the address of the service', () => {
  it.each([
    ['--port', (port: string) => ({ args: ['--port', port] })],
    ['UNDERSTUDY_PORT', (port: string) => ({ variables: { UNDERSTUDY_PORT: port } })],
    ['PORT', (port: string) => ({ variables: { PORT: port } })],
    ['UNDERSTUDY_PORT before PORT', (port: string) => ({ variables: { UNDERSTUDY_PORT: port, PORT: '1' } })],
    [
      '--port before both',
      (port: string) => ({ args: ['--port', port], variables: { UNDERSTUDY_PORT: '1', PORT: '1' } }),
    ],
  ])('has the port of %s', async (_, setting) => {
    const port = await freePort();
    const { args = [], variables = {} } = setting(String(port)) as Partial<Setting[1]>;

    const service = await serve(args, { variables });

    expect(service.url).toBe(`http://127.0.0.1:${port}`);
    await service.control.get('/health').expect(200);
  });

  it('has a free port with --port 0, a different one for each process', async () => {
    const [one, other] = await Promise.all([serve(['--port', '0']), serve(['--port', '0'])]);

    expect(one.url).not.toBe(other.url);
    await one.control.get('/health').expect(200);
    await other.control.get('/health').expect(200);
  });

  it.each(flagAndVariable('--host', '0.0.0.0'))(
    'includes all addresses of the machine with %s 0.0.0.0',
    async (_, setting) => {
      const service = await serve(setting.args, setting);

      const { port } = new URL(service.url);
      expect(service.url).toBe(`http://localhost:${port}`);
      await service.control.get('/health').expect(200);
    },
  );

  it('is local by default', async () => {
    const service = await serve();

    expect(new URL(service.url).hostname).toBe('127.0.0.1');
  });
});

describe('the URL in issuer and links', () => {
  it('is taken from the request by default', async () => {
    const service = await serve();

    expect(await issuerOf(service)).toBe(service.url);
    expect(await issuerOf(service, { host: 'auth.example.test' })).toBe('http://auth.example.test');
  });

  it.each(flagAndVariable('--base-url', 'https://auth.example.test/'))(
    'is the URL of %s',
    async (_, setting) => {
      const port = await freePort();
      const started = start(
        ['serve', '--memory', '--json', '--port', String(port), ...setting.args],
        setting,
      );
      const announced = JSON.parse(await started.line(/^\{.*\}$/m));

      const discovery = await fetch(`http://127.0.0.1:${port}/.well-known/openid-configuration`);

      expect(announced.url).toBe('https://auth.example.test');
      expect(await discovery.json()).toMatchObject({
        issuer: 'https://auth.example.test',
        token_endpoint: 'https://auth.example.test/oauth/token',
      });
    },
  );

  const FORWARDED = { 'x-forwarded-host': 'auth.example.test', 'x-forwarded-proto': 'https' };

  it.each(flagAndVariable('--trust-proxy'))('is taken from forwarded headers with %s', async (_, setting) => {
    const service = await serve(setting.args, setting);

    expect(await issuerOf(service, FORWARDED)).toBe('https://auth.example.test');
  });

  it('is not taken from forwarded headers by default', async () => {
    const service = await serve([], { variables: { UNDERSTUDY_TRUST_PROXY: '0' } });

    expect(await issuerOf(service, FORWARDED)).toBe(service.url);
  });
});

describe('the stored state', () => {
  it.each(flagAndVariable('--data', 'state'))(
    'is in the folder of %s, which is created',
    async (_, setting) => {
      const cwd = makeFolder();
      const service = await serve([...setting.args], { ...setting, cwd });
      const api = await service.login();
      await api.post('/api/v1/organizations').send(NORTHWIND).expect(201);
      await service.stop();

      const again = await serve([...setting.args], { ...setting, cwd });

      expect(await organizationsOf(again)).toContain('Northwind');
      expect(readdirSync(cwd)).toEqual(['state']);
    },
  );

  it('is in ./data by default', async () => {
    const cwd = makeFolder();
    const started = start(['serve', '--port', '0'], { cwd });

    await started.line(/kept in \.\/data/);

    expect(existsSync(join(cwd, 'data', 'default.json'))).toBe(true);
  });

  it.each(flagAndVariable('--memory'))(
    'is in memory with %s, even if UNDERSTUDY_DATA is set',
    async (_, setting) => {
      const cwd = makeFolder();
      const variables = { ...setting.variables, UNDERSTUDY_DATA: 'state' };
      const started = start(['serve', '--port', '0', ...setting.args], { cwd, variables });

      await started.line(/in memory/);

      expect(readdirSync(cwd)).toEqual([]);
    },
  );

  it('is in the folder of --data even if UNDERSTUDY_MEMORY is set', async () => {
    const cwd = makeFolder();
    const started = start(['serve', '--port', '0', '--data', 'state'], {
      cwd,
      variables: { UNDERSTUDY_MEMORY: '1' },
    });

    await started.line(/kept in state/);

    expect(readdirSync(cwd)).toEqual(['state']);
  });
});

describe('the initial state', () => {
  it('is the default fixture', async () => {
    expect(await organizationsOf(await serve())).toContain('Acme Corp');
  });

  it.each(flagAndVariable('--fixture', 'empty'))('is the fixture of %s', async (_, setting) => {
    expect(await organizationsOf(await serve(setting.args, setting))).toEqual([]);
  });

  it.each(flagAndVariable('--fixture', './own.json'))('is the fixture file of %s', async (_, setting) => {
    const cwd = makeFolder();
    const own = JSON.parse(readFileSync('fixtures/empty.json', 'utf8'));
    const organization = {
      id: 'org_20000000000000001',
      create_time: 'now-1d',
      update_time: 'now-1d',
      metadata: {},
    };
    own.organizations = [{ ...organization, display_name: 'Own', region_code: 'EU' }];
    writeFileSync(join(cwd, 'own.json'), JSON.stringify(own));

    expect(await organizationsOf(await serve(setting.args, { ...setting, cwd }))).toEqual(['Own']);
  });

  it.each<Setting>([
    [
      '--scenario, given twice',
      { args: ['--scenario', 'invite-expired', '--scenario', 'tool-failure'], variables: {} },
    ],
    ['UNDERSTUDY_SCENARIO', { args: [], variables: { UNDERSTUDY_SCENARIO: 'invite-expired,tool-failure' } }],
  ])('has the scenarios of %s, after a reset too', async (_, setting) => {
    const service = await serve(setting.args, setting);

    expect(await scenariosOf(service)).toEqual(['invite-expired', 'tool-failure']);
    await service.control.delete('/scenarios').expect(204);
    await service.control.post('/reset').expect(204);
    expect(await scenariosOf(service)).toEqual(['invite-expired', 'tool-failure']);
  });

  it.each(flagAndVariable('--seed', '7'))(
    'depends on %s: the same seed gives the same responses',
    async (_, setting) => {
      const answers = async (args: string[], variables: Record<string, string>) => {
        const service = await serve(args, { variables });
        await service.control.put('/clock').send({ mode: 'frozen', at: '2030-01-01T00:00:00Z' }).expect(200);
        const api = await service.login();
        const organization = await api.post('/api/v1/organizations').send(NORTHWIND).expect(201);
        const tool = {
          tool_name: 'gmail_fetch_mails',
          connector: 'gmail',
          identifier: 'default',
          params: {},
        };
        const run = await api.post('/api/v1/execute_tool').send(tool).expect(200);
        const environment = await service.control.post('/environments').send({ name: 'worker' }).expect(201);
        return [organization.body.organization.id, run.body.data, environment.body.client_secret];
      };

      const [told7, alike, default1] = await Promise.all([
        answers(setting.args, setting.variables),
        answers(['--seed', '7'], {}),
        answers([], {}),
      ]);

      expect(told7).toEqual(alike);
      for (const [index, value] of told7.entries()) expect(default1[index]).not.toEqual(value);
    },
  );

  it('has the credentials of UNDERSTUDY_CLIENT_ID and UNDERSTUDY_CLIENT_SECRET', async () => {
    const own = { client_id: 'skc_own', client_secret: 'own-secret' };
    const variables = { UNDERSTUDY_CLIENT_ID: own.client_id, UNDERSTUDY_CLIENT_SECRET: own.client_secret };

    const service = await serve([], { variables });

    expect(service).toMatchObject(own);
    expect(await organizationsOf(service)).toContain('Acme Corp');
    const known = { grant_type: 'client_credentials', ...KNOWN };
    const refused = await service.anonymous.post('/oauth/token').type('form').send(known).expect(401);
    expect(refused.body).toMatchObject({ error: 'invalid_client' });
  });
});

describe('settings of the service', () => {
  it.each(flagAndVariable('--max-environments', '2'))(
    'limit the environments with %s',
    async (_, setting) => {
      const { control } = await serve(setting.args, setting);
      for (let count = 0; count < 2; count += 1) await control.post('/environments').send({}).expect(201);

      const refused = await control.post('/environments').send({}).expect(400);

      expect(refused.body.message).toMatch(
        /^there are 2 environments besides default, as many as --max-environments allows: drop some/,
      );
    },
  );

  const STRANGE = { display_name: 'Northwind', favourite_colour: 'blue' };

  it.each(flagAndVariable('--strict'))('reject unknown fields with %s', async (_, setting) => {
    const api = await (await serve(setting.args, setting)).login();

    const refused = await api.post('/api/v1/organizations').send(STRANGE).expect(400);

    expect(refused.body.details[0].validation_error_info.field_violations).toMatchObject([
      { field: 'favourite_colour' },
    ]);
  });

  it.each(['0', 'false', 'off', 'no', ''])(
    'allow unknown fields when UNDERSTUDY_STRICT is "%s"',
    async (value) => {
      const api = await (await serve([], { variables: { UNDERSTUDY_STRICT: value } })).login();

      const accepted = await api.post('/api/v1/organizations').send(STRANGE).expect(201);

      expect(accepted.headers['understudy-warnings']).toBe('unknown: favourite_colour');
    },
  );

  it.each(flagAndVariable('--log-level', 'error'))('limit the log with %s', async (_, setting) => {
    const data = makeFolder();
    writeFileSync(join(data, 'default.log'), '{"posi');

    const service = await serve(['--data', data, ...setting.args], setting);

    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  it('require the token of UNDERSTUDY_CONTROL_TOKEN for control calls other than /health', async () => {
    const { control } = await serve([], { variables: { UNDERSTUDY_CONTROL_TOKEN: 'let-me-in' } });

    await control.get('/health').expect(200);
    const refused = await control.get('/clock').expect(401);
    await control.get('/clock').set('authorization', 'Bearer let-me-in').expect(200);

    expect(refused.body).toMatchObject({ code: 16 });
  });
});

describe('understudy', () => {
  it('prints its version and its commands', async () => {
    const [printed, help] = await Promise.all([run(['--version']), run(['--help'])]);

    expect(printed).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: '' });
    for (const command of ['serve', 'healthcheck', 'scenarios', 'fixtures', 'tail'])
      expect(help.stdout).toContain(`  ${command} `);
  });
});
