import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import supertest from 'supertest';
import { describe, expect, it } from 'vitest';
import { freePort, makeFolder } from '../support/process.ts';
import { findEngine, type Container, type RunOptions } from './engine.ts';

/** MB that the image may have, and those of them that are Understudy's own. */
const MOST = { image: 300, own: 28 };

const engine = findEngine();

/** Starts the service as the image does by default, on a free port. */
async function serve({ args = [], variables, ...options }: RunOptions = {}) {
  const port = await freePort();
  const told = { UNDERSTUDY_PORT: String(port), ...variables };
  const container = engine!.run({ ...options, args: ['serve', '--json', ...args], variables: told, port });
  await container.line(/^\{.*\}$/m);
  return { container, at: supertest(`http://127.0.0.1:${port}`) };
}

/** A container in which no service runs. */
async function idle(): Promise<Container> {
  const container = engine!.run({ entrypoint: 'sh', args: ['-c', 'echo started; exec sleep 600'] });
  await container.line(/started/);
  return container;
}

describe.skipIf(engine === undefined)('the image', () => {
  it('serves as user 1000 without capabilities, as the first process', async () => {
    const { container, at } = await serve();

    await at.get('/_control/v1/health').expect(200);
    const status = container.exec(['cat', '/proc/1/status']).stdout;
    expect(status).toMatch(/^Name:\tnode$|^Name:\tMainThread$/m);
    expect(status).toMatch(/^Uid:(\t1000){4}$/m);
    expect(status).toMatch(/^Gid:(\t1000){4}$/m);
    expect(status.match(/^Cap(Prm|Eff|Bnd):\t0+$/gm)).toHaveLength(3);
  });

  it('writes to /data alone, and the volume there outlives the container', async () => {
    const data = engine!.makeVolume();
    const first = await serve({ data });
    const refused = first.container.exec(['touch', '/app/file', '/tmp/file', '/file']);
    await first.at
      .put('/_control/v1/state/organizations/org_1')
      .send({ display_name: 'Kept Works' })
      .expect(200);
    first.container.signal('SIGTERM');
    await first.container.exited;

    const { at } = await serve({ data });

    expect(refused.stderr.match(/Read-only file system/g)).toHaveLength(3);
    const { body } = await at.get('/_control/v1/state/organizations/org_1').expect(200);
    expect(body).toMatchObject({ display_name: 'Kept Works' });
  });

  it('ends at SIGTERM, before the engine kills it', async () => {
    expect(engine!.config.StopSignal).toBe('SIGTERM');
    const times: number[] = [];
    // A busy machine may slow one of them.
    for (let tries = 0; tries < 3; tries++) {
      const { container } = await serve();
      const start = performance.now();
      container.signal('SIGTERM');
      expect(await container.exited).toMatchObject({ code: 0, signal: null });
      times.push(performance.now() - start);
    }

    expect(Math.min(...times)).toBeLessThan(10_000); // when Docker kills it
  });

  it('is healthy at the port of a variable or a flag, and unhealthy where no service runs', async () => {
    const [kind, line = ''] = engine!.config.Healthcheck.Test;
    expect(kind).toBe('CMD-SHELL');
    const other = await freePort();

    const byVariable = await serve();
    expect(byVariable.container.exec(['sh', '-c', line])).toEqual({ code: 0, stdout: '', stderr: '' });
    const byFlag = await serve({ args: ['--port', String(other)], port: other });
    expect(byFlag.container.exec(['sh', '-c', line])).toEqual({ code: 0, stdout: '', stderr: '' });
    const port = String(await freePort());
    const without = (await idle()).exec(['sh', '-c', line], { UNDERSTUDY_PORT: port });
    expect(without).toMatchObject({ code: 1, stdout: '' });
    expect(without.stderr).toContain(`no healthy understudy at http://127.0.0.1:${port}`);
  });

  it('takes variables, flags and commands, and flags win', async () => {
    const variables = { UNDERSTUDY_MEMORY: '1', UNDERSTUDY_FIXTURE: 'empty' };
    const rowsOf = async (args: string[]) => {
      const { at } = await serve({ variables, args });
      const { body } = await at.get('/_control/v1/state/organizations').expect(200);
      return (body as { rows: unknown[] }).rows.length;
    };
    expect(await rowsOf([])).toBe(0);
    expect(await rowsOf(['--fixture', 'small'])).toBeGreaterThan(0);

    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const asked = await engine!.run({ args: ['--version'] }).exited;
    expect(asked).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
    const { exec } = await idle();
    for (const name of ['understudy', 'understudy-server'])
      expect(exec([name, '--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('loads a scenario from a file that is mounted', async () => {
    const file = join(makeFolder(), 'busy.yaml');
    writeFileSync(file, 'name: busy\nrules:\n  - on: OAuth_Token\n    reply: { error: rate_limited }\n');
    const { at } = await serve({
      files: { [file]: '/mnt/busy.yaml' },
      args: ['--scenario', '/mnt/busy.yaml'],
    });

    await at.post('/oauth/token').expect(429);
  });

  it('has Node and what Understudy reads, but no tools to build with, no sources and no secrets', async () => {
    const ask = (line: string) => container.exec(['sh', '-c', line]).stdout;
    const container = await idle();
    const tools = 'npm npx yarn corepack gcc cc make python3 git curl wget';

    expect(ask(`command -v ${tools}`)).toBe('');
    const found = ask('cd /; find app usr/local -type f; ls -A data home').split('\n');
    expect(found.filter((file) => file.startsWith('usr/local/')).toSorted()).toEqual([
      'usr/local/bin/node',
      'usr/local/share/doc/node/LICENSE',
    ]);
    expect(found.filter((file) => /\.(ts|map|key|pem)$|npmrc|\.env/.test(file))).toEqual([]);
    expect(new Set(found.flatMap((file) => /^app\/([^/]+)/.exec(file)?.[1] ?? []))).toEqual(
      new Set(['LICENSE', 'dist', 'docs', 'fixtures', 'package.json', 'probes', 'scenarios']),
    );
    const secret =
      "grep -rlE 'BEGIN [A-Z ]*PRIVATE KEY-|_authToken|npm_[A-Za-z0-9]{36}' /etc /usr/local/etc /home /data /app/package.json";
    expect(ask(`${secret} 2>/dev/null`)).toBe('');
    expect(engine!.config.Env.map((each) => each.split('=')[0]!).toSorted()).toEqual([
      'PATH',
      'UNDERSTUDY_DATA',
      'UNDERSTUDY_HOST',
    ]);
  });

  it('has labels and the licences of everything in it', async () => {
    expect(engine!.config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'understudy',
      'org.opencontainers.image.licenses': 'Apache-2.0',
    });
    const files = ['LICENSE', 'dist/THIRD-PARTY-NOTICES.txt', '/usr/local/share/doc/node/LICENSE'];
    const { stdout } = (await idle()).exec(['head', '-qn', '1', ...files]);
    expect(stdout).toMatch(/Apache License\n[^]+\nNode\.js is licensed/);
  });

  it('is not larger than it has to be', async () => {
    const { stdout } = (await idle()).exec(['sh', '-c', 'du -skx /; du -sk /app']);
    const [image = NaN, own = NaN] = stdout.match(/^\d+/gm)!.map((size) => Number(size) / 1024);
    console.log(`the image has ${image.toFixed(0)} MB, ${own.toFixed(0)} of them Understudy's own`);

    expect(image).toBeLessThan(MOST.image);
    expect(own).toBeLessThan(MOST.own);
  });
});
