import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent as HttpAgent, request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyPackage, makeFolder, run, serve } from '../support/process.ts';

interface Exchange {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  /** The local port of the client's connection. */
  port: number | undefined;
}

function exchange(
  agent: HttpAgent,
  url: string,
  options: { method?: string; headers?: object } = {},
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {} } = options;
    const asking = request(url, { agent, method, headers: { ...headers } }, (response) => {
      let text = '';
      const port = asking.socket?.localPort;
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, text, port }),
      );
    });
    asking.on('error', reject).end();
  });
}

function keptOpen(): HttpAgent {
  const agent = new HttpAgent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

describe('the files of the package, without node_modules', () => {
  it('run a whole tour of the API', async () => {
    const { folder, program } = copyPackage();
    expect(readdirSync(folder).toSorted()).toEqual([
      'dist',
      'fixtures',
      'package.json',
      'probes',
      'scenarios',
    ]);
    const data = makeFolder();
    const service = await serve(['--data', data], { program });
    const api = await service.login();

    await api.post('/api/v1/organizations').send({ display_name: 'Northwind' }).expect(201);
    const account = {
      connector: 'gmail',
      identifier: 'ada@northwind.example',
      connected_account: { authorization_details: { oauth_token: { access_token: 'test_token' } } },
    };
    await api.post('/api/v1/connected_accounts').send(account).expect(201);
    const tool = {
      tool_name: 'gmail_fetch_mails',
      connector: 'gmail',
      identifier: account.identifier,
      params: {},
    };
    await api.post('/api/v1/execute_tool').send(tool).expect(200);
    await service.control.post('/scenarios').send({ name: 'tool-failure' }).expect(201);
    const failed = await api.post('/api/v1/execute_tool').send(tool).expect(500);
    await service.control.post('/reset').expect(204);
    await api.post('/api/v1/organizations').send({ display_name: '' }).expect(400);

    expect(failed.body.details[0]).toMatchObject({ error_code: 'TOOL_ERROR' });
    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([
    ['is missing', {}, /^program-\w+\.cjs\.[\d.]+-\w+\.local\.cache$/],
    ['is damaged', {}, /^program-\w+\.cjs\.[\d.]+-\w+\.local\.cache$/],
    [
      'does not fit the flags of Node',
      { NODE_OPTIONS: '--max-old-space-size=512' },
      /^program-\w+\.cjs\.[\d.]+-\w+\.\w{32}\.local\.cache$/,
    ],
  ])('get compiled code from the first service, if that of the build %s', async (why, variables, wanted) => {
    const { folder, program } = copyPackage();
    const file = (name = '') => join(folder, 'dist', name);
    const compiled = () => readdirSync(file()).filter((name) => /^program-.*\.(cache|tmp)$/.test(name));
    const [built = ''] = compiled();
    if (why !== 'does not fit the flags of Node') rmSync(file(built));
    if (why === 'is damaged') writeFileSync(file(built), 'damaged');

    await run(['--version'], { program, variables });
    expect(compiled()).toEqual(why === 'is missing' ? [] : [built]);
    await (await serve([], { program, variables })).stop();
    const [own = ''] = compiled().filter((name) => wanted.test(name));
    const { mtimeMs, size } = statSync(file(own));
    await (await serve([], { program, variables })).stop();

    expect(size).toBeGreaterThan(100_000);
    expect(statSync(file(own)).mtimeMs).toBe(mtimeMs); // V8 has used it
    expect(new Set(compiled())).toEqual(new Set([...(why === 'is missing' ? [] : [built]), own]));
  });

  it('get compiled code while the first service runs, before V8 drops the code of the start', async () => {
    const { folder, program } = copyPackage();
    const compiled = () =>
      readdirSync(join(folder, 'dist')).filter((name) => /^program-.*\.cache$/.test(name));
    for (const name of compiled()) rmSync(join(folder, 'dist', name));

    await serve([], { program });

    await expect.poll(compiled, { timeout: 300_000 }).toHaveLength(1);
  });

  it('start although the compiled code cannot be read', async () => {
    const { folder, program } = copyPackage();
    const [built = ''] = readdirSync(join(folder, 'dist')).filter((name) => /^program-.*\.cache$/.test(name));
    rmSync(join(folder, 'dist', built));
    mkdirSync(join(folder, 'dist', built));

    expect(await (await serve([], { program })).stop()).toMatchObject({ code: 0, stderr: '' });
  });

  it('print no deprecation warning of bundled packages', async () => {
    const service = await serve([], { variables: { NODE_PENDING_DEPRECATION: '1' } });
    const api = await service.login();

    await api.get('/api/v1/organizations?page_size=1').expect(200);

    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  it('also lint scenarios and generate fixtures', async () => {
    const { folder, program } = copyPackage();
    const at = { program, cwd: folder };

    const [lint, generate] = await Promise.all([
      run(['scenarios', 'lint', 'scenarios/tool-failure.yaml'], at),
      run(['fixtures', 'generate', '--organizations', '1'], at),
    ]);

    expect(lint).toMatchObject({ code: 0, stdout: 'scenarios/tool-failure.yaml: good\n' });
    expect(generate).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('served OpenAPI documents', () => {
  it.each(['/openapi.json', '/_control/v1/openapi.json'])(
    '%s is valid OpenAPI 3.1 and has the URL of this server',
    async (path) => {
      const { anonymous, url } = await serve();
      const config = await createConfig({ extends: ['spec'] });

      const { body, headers } = await anonymous.get(path).expect(200);

      expect(headers['content-type']).toMatch(/^application\/json/);
      expect(body).toMatchObject({ openapi: '3.1.1', servers: [{ url }] });
      const problems = await lintFromString({ source: JSON.stringify(body), config });
      expect(problems.map(({ message, location: [at] }) => [message, at?.pointer])).toEqual([]);
    },
  );

  it('are really validated: an invalid document has errors', async () => {
    const { anonymous } = await serve();
    const config = await createConfig({ extends: ['spec'] });
    const { body } = await anonymous.get('/openapi.json').expect(200);
    body.paths['/api/v1/organizations'].get.responses = [];

    expect(await lintFromString({ source: JSON.stringify(body), config })).not.toEqual([]);
  });
});

describe('HTTP connections', () => {
  it.each(['/openapi.json', '/_control/v1/openapi.json', '/_control/v1/health', '/keys'])(
    'HEAD %s has the headers of GET and no body, and the connection stays usable',
    async (path) => {
      const { url } = await serve();
      const agent = keptOpen();
      const get = await exchange(agent, `${url}${path}`);

      const head = await exchange(agent, `${url}${path}`, { method: 'HEAD' });

      expect(head).toMatchObject({ status: 200, text: '', port: get.port });
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
      expect(head.headers['content-type']).toBe(get.headers['content-type']);
      expect(await exchange(agent, `${url}${path}`)).toMatchObject({ status: 200, text: get.text });
    },
  );

  it('stay open for the following calls', async () => {
    const { url } = await serve();
    const agent = keptOpen();

    const one = await exchange(agent, `${url}/keys`);
    const missing = await exchange(agent, `${url}/nowhere`);
    const other = await exchange(agent, `${url}/_control/v1/health`);

    expect([one.status, missing.status, other.status]).toEqual([200, 404, 200]);
    expect(new Set([one.port, missing.port, other.port]).size).toBe(1);
  });

  it('close when the client asks for it', async () => {
    const { url } = await serve();

    const { headers } = await exchange(new HttpAgent(), `${url}/keys`, { headers: { connection: 'close' } });

    expect(headers.connection).toBe('close');
  });
});
