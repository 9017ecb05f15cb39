import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort, makeFolder, run, serve, start, type Service } from '../support/process.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const KNOWN = { client_id: 'skc_1000000000000000001', client_secret: 'test_understudy_default_secret' };
const NORTHWIND = { display_name: 'Northwind' };

type Told = [string, { args: string[]; variables: Record<string, string> }];

/** The two ways to say the same thing. */
function flagAndVariable(flag: string, value?: string): Told[] {
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

describe('understudy serve, once ready', () => {
  it('prints with --json exactly one line on stdout, and all else on stderr', async () => {
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
    ['who@elsewhere.test', '; there is ada@acme.example, '],
  ])('warns of %s, whom it is to sign in and nobody is called', async (email, hint) => {
    const service = await serve(['--memory', '--auto-login', email]);

    const { stderr } = await service.stop();

    expect(stderr).toContain(`warn: --auto-login: no user has the address ${email} yet${hint}`);
  });

  it('does not warn of somebody whom the fixture has', async () => {
    const service = await serve(['--memory', '--auto-login', 'Ada@acme.example']);

    expect((await service.stop()).stderr).toBe('');
  });

  it('prints the same line when UNDERSTUDY_JSON is set', async () => {
    const started = start(['serve', '--memory', '--port', '0'], { variables: { UNDERSTUDY_JSON: 'true' } });

    const line = await started.line(/^\{.*\}$/m);

    expect(JSON.parse(line)).toEqual({ url: expect.stringMatching(/^http:/), ...KNOWN, version });
  });

  it('tells people where it is, with which credentials, and where the documents are', async () => {
    const { said, line } = start(['serve', '--memory', '--port', '0']);

    const [, url] = /at (http.*)/.exec(await line(/ready at http:\S+/))!;

    expect(said.stdout.split('\n').map((each) => each.trim())).toEqual([
      `Understudy ${version} is ready at ${url}`,
      '',
      `client_id      ${KNOWN.client_id}`,
      `client_secret  ${KNOWN.client_secret}`,
      `API document   ${url}/openapi.json`,
      `control API    ${url}/_control/v1/openapi.json`,
      'state          in memory',
      '',
      '',
    ]);
  });

  it('is what the program does without a command', async () => {
    const started = start(['--memory', '--port', '0', '--json']);

    await expect(started.line(/^\{.*\}$/m)).resolves.toContain(KNOWN.client_id);
  });
});

describe('where it listens', () => {
  it.each([
    ['--port', (port: string) => ({ args: ['--port', port] })],
    ['UNDERSTUDY_PORT', (port: string) => ({ variables: { UNDERSTUDY_PORT: port } })],
    ['PORT', (port: string) => ({ variables: { PORT: port } })],
    ['UNDERSTUDY_PORT before PORT', (port: string) => ({ variables: { UNDERSTUDY_PORT: port, PORT: '1' } })],
    [
      '--port before both',
      (port: string) => ({ args: ['--port', port], variables: { UNDERSTUDY_PORT: '1', PORT: '1' } }),
    ],
  ])('is the port of %s', async (_, told) => {
    const port = await freePort();
    const { args = [], variables = {} } = told(String(port)) as Partial<Told[1]>;

    const service = await serve(args, { variables });

    expect(service.url).toBe(`http://127.0.0.1:${port}`);
    await service.control.get('/health').expect(200);
  });

  it('is a free port with 0, another one for each process', async () => {
    const [one, other] = await Promise.all([serve(['--port', '0']), serve(['--port', '0'])]);

    expect(one.url).not.toBe(other.url);
    await one.control.get('/health').expect(200);
    await other.control.get('/health').expect(200);
  });

  it.each(flagAndVariable('--host', '0.0.0.0'))(
    'is every address of the machine with %s 0.0.0.0',
    async (_, told) => {
      const service = await serve(told.args, told);

      const { port } = new URL(service.url);
      expect(service.url).toBe(`http://localhost:${port}`);
      await service.control.get('/health').expect(200);
    },
  );

  it('is this machine alone without a host', async () => {
    const service = await serve();

    expect(new URL(service.url).hostname).toBe('127.0.0.1');
  });
});

describe('what issuer and links say', () => {
  it('is what the request says of itself', async () => {
    const service = await serve();

    expect(await issuerOf(service)).toBe(service.url);
    expect(await issuerOf(service, { host: 'auth.example.test' })).toBe('http://auth.example.test');
  });

  it.each(flagAndVariable('--base-url', 'https://auth.example.test/'))(
    'is the address of %s',
    async (_, told) => {
      const port = await freePort();
      const started = start(['serve', '--memory', '--json', '--port', String(port), ...told.args], told);
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

  it.each(flagAndVariable('--trust-proxy'))('is what a proxy forwards with %s', async (_, told) => {
    const service = await serve(told.args, told);

    expect(await issuerOf(service, FORWARDED)).toBe('https://auth.example.test');
  });

  it('is not what a stranger forwards', async () => {
    const service = await serve([], { variables: { UNDERSTUDY_TRUST_PROXY: '0' } });

    expect(await issuerOf(service, FORWARDED)).toBe(service.url);
  });
});

describe('where the state is kept', () => {
  it.each(flagAndVariable('--data', 'state'))('is the folder of %s, which is made', async (_, told) => {
    const cwd = makeFolder();
    const service = await serve([...told.args], { ...told, cwd });
    const api = await service.login();
    await api.post('/api/v1/organizations').send(NORTHWIND).expect(201);
    await service.stop();

    const again = await serve([...told.args], { ...told, cwd });

    expect(await organizationsOf(again)).toContain('Northwind');
    expect(readdirSync(cwd)).toEqual(['state']);
  });

  it('is ./data when nothing is said', async () => {
    const cwd = makeFolder();
    const started = start(['serve', '--port', '0'], { cwd });

    await started.line(/kept in \.\/data/);

    expect(existsSync(join(cwd, 'data', 'default.json'))).toBe(true);
  });

  it.each(flagAndVariable('--memory'))(
    'is nowhere with %s, whatever UNDERSTUDY_DATA says',
    async (_, told) => {
      const cwd = makeFolder();
      const variables = { ...told.variables, UNDERSTUDY_DATA: 'state' };
      const started = start(['serve', '--port', '0', ...told.args], { cwd, variables });

      await started.line(/in memory/);

      expect(readdirSync(cwd)).toEqual([]);
    },
  );

  it('is the folder of --data although UNDERSTUDY_MEMORY is set', async () => {
    const cwd = makeFolder();
    const started = start(['serve', '--port', '0', '--data', 'state'], {
      cwd,
      variables: { UNDERSTUDY_MEMORY: '1' },
    });

    await started.line(/kept in state/);

    expect(readdirSync(cwd)).toEqual(['state']);
  });
});

describe('what it starts with', () => {
  it('is the default fixture', async () => {
    expect(await organizationsOf(await serve())).toContain('Acme Corp');
  });

  it.each(flagAndVariable('--fixture', 'empty'))('is the fixture that %s names', async (_, told) => {
    expect(await organizationsOf(await serve(told.args, told))).toEqual([]);
  });

  it.each(flagAndVariable('--fixture', './own.json'))('is the fixture file of %s', async (_, told) => {
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

    expect(await organizationsOf(await serve(told.args, { ...told, cwd }))).toEqual(['Own']);
  });

  it.each<Told>([
    [
      '--scenario, given twice',
      { args: ['--scenario', 'invite-expired', '--scenario', 'tool-failure'], variables: {} },
    ],
    ['UNDERSTUDY_SCENARIO', { args: [], variables: { UNDERSTUDY_SCENARIO: 'invite-expired,tool-failure' } }],
  ])('are the scenarios of %s, after a reset too', async (_, told) => {
    const service = await serve(told.args, told);

    expect(await scenariosOf(service)).toEqual(['invite-expired', 'tool-failure']);
    await service.control.delete('/scenarios').expect(204);
    await service.control.post('/reset').expect(204);
    expect(await scenariosOf(service)).toEqual(['invite-expired', 'tool-failure']);
  });

  it.each(flagAndVariable('--seed', '7'))(
    'is decided by %s: the same seed gives the same answers',
    async (_, told) => {
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
        answers(told.args, told.variables),
        answers(['--seed', '7'], {}),
        answers([], {}),
      ]);

      expect(told7).toEqual(alike);
      for (const [index, value] of told7.entries()) expect(default1[index]).not.toEqual(value);
    },
  );

  it('are the credentials of UNDERSTUDY_CLIENT_ID and UNDERSTUDY_CLIENT_SECRET', async () => {
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

describe('how it behaves', () => {
  it.each(flagAndVariable('--max-environments', '2'))(
    'has no more environments than %s allows',
    async (_, told) => {
      const { control } = await serve(told.args, told);
      for (let count = 0; count < 2; count += 1) await control.post('/environments').send({}).expect(201);

      const refused = await control.post('/environments').send({}).expect(400);

      expect(refused.body.message).toMatch(
        /^there are 2 environments besides default, as many as --max-environments allows: drop some/,
      );
    },
  );

  const STRANGE = { display_name: 'Northwind', favourite_colour: 'blue' };

  it.each(flagAndVariable('--strict'))('refuses unknown fields with %s', async (_, told) => {
    const api = await (await serve(told.args, told)).login();

    const refused = await api.post('/api/v1/organizations').send(STRANGE).expect(400);

    expect(refused.body.details[0].validation_error_info.field_violations).toMatchObject([
      { field: 'favourite_colour' },
    ]);
  });

  it.each(['0', 'false', 'off', 'no', ''])('is not strict when UNDERSTUDY_STRICT is "%s"', async (value) => {
    const api = await (await serve([], { variables: { UNDERSTUDY_STRICT: value } })).login();

    const accepted = await api.post('/api/v1/organizations').send(STRANGE).expect(201);

    expect(accepted.headers['understudy-warnings']).toBe('unknown: favourite_colour');
  });

  it.each(flagAndVariable('--log-level', 'error'))('says no more than %s wants', async (_, told) => {
    const data = makeFolder();
    writeFileSync(join(data, 'default.log'), '{"posi');

    const service = await serve(['--data', data, ...told.args], told);

    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  it('wants the token of UNDERSTUDY_CONTROL_TOKEN for control calls but health', async () => {
    const { control } = await serve([], { variables: { UNDERSTUDY_CONTROL_TOKEN: 'let-me-in' } });

    await control.get('/health').expect(200);
    const refused = await control.get('/clock').expect(401);
    await control.get('/clock').set('authorization', 'Bearer let-me-in').expect(200);

    expect(refused.body).toMatchObject({ code: 16 });
  });
});

describe('understudy', () => {
  it('names its version and its commands', async () => {
    const [told, help] = await Promise.all([run(['--version']), run(['--help'])]);

    expect(told).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: '' });
    for (const command of ['serve', 'healthcheck', 'scenarios', 'fixtures'])
      expect(help.stdout).toContain(`  ${command} `);
  });
});
