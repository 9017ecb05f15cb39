import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { issueAuthority, issueServer } from '../../src/server/certificates/issue.ts';
import { argumentsOfMainProcess } from '../../src/cli/healthcheck.ts';
import { HAS_POSTGRES, Postgres } from '../support/postgres.ts';
import { eventually, freePort, makeFolder, run, serve } from '../support/process.ts';

async function ownCertificate() {
  const folder = makeFolder();
  const issued = await issueServer(await issueAuthority(), ['localhost']);
  const [certificate, key] = [join(folder, 'own.pem'), join(folder, 'own-key.pem')];
  writeFileSync(certificate, issued.certificate);
  writeFileSync(key, issued.key);
  return { folder, certificate, key };
}

describe('understudy healthcheck', () => {
  it.each([
    ['--port', (port: string) => ({ args: ['--port', port], variables: {} })],
    ['UNDERSTUDY_PORT', (port: string) => ({ args: [], variables: { UNDERSTUDY_PORT: port } })],
    ['PORT', (port: string) => ({ args: [], variables: { PORT: port } })],
  ])('exits with 0 when the service at %s is ready', async (_, told) => {
    const service = await serve([], { variables: { UNDERSTUDY_CONTROL_TOKEN: 'let-me-in' } });
    const { args, variables } = told(new URL(service.url).port);

    const exit = await run(['healthcheck', ...args], { variables });

    expect(exit).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  });

  it('exits with 1 and the reason when the service is unreachable', async () => {
    const port = await freePort();

    const exit = await run(['healthcheck', '--port', String(port)]);

    expect(exit).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `understudy: no healthy understudy at http://127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}\n`,
    });
  });

  it.each([
    ['nothing', '', ''],
    ['no JSON', '<p>Bad gateway</p>', ''],
    ['null', 'null', ''],
    ['a message that is no text', '{"message":7}', ''],
    ['more than anybody reads', JSON.stringify({ message: 'long '.repeat(5000) }), ''],
    ['a message of several lines', JSON.stringify({ message: 'one\r\ntwo \u001b[31m' }), ': one two [31m'],
  ])('exits with 1 when another program answers 503 with %s', async (_, body, shown) => {
    const other = createServer((_request, response) => response.writeHead(503).end(body));
    other.listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;

    expect(await run(['healthcheck', '--port', String(port)])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `understudy: no healthy understudy at http://127.0.0.1:${port}: it answers 503${shown}\n`,
    });
  });

  it.skipIf(!HAS_POSTGRES)(
    'exits with 1 and the reason of the service when its database is away',
    async () => {
      const postgres = await Postgres.start();
      onTestFinished(() => postgres.stop());
      const { url, control } = await serve(['--store', await postgres.database()]);
      postgres.crash();
      await eventually(
        async () => (await control.get('/health')).status,
        (status) => status === 503,
      );

      const exit = await run(['healthcheck', '--port', new URL(url).port]);
      postgres.resume();

      expect(exit).toMatchObject({ code: 1, stdout: '' });
      expect(exit.stderr).toMatch(
        /^understudy: no healthy understudy at http:\S+: it answers 503: database postgres:\S+ cannot be reached: try again\n$/,
      );
    },
  );

  it('accepts the flags of serve, and uses its host and certificate', async () => {
    const { folder, certificate, key } = await ownCertificate();
    const flags = ['--host', '127.0.0.2', '--tls-cert', certificate, '--tls-key', key, '--seed', '7'];
    const { url } = await serve(flags, { cwd: folder });
    const port = ['--port', new URL(url).port];

    expect(await run(['healthcheck', ...flags, ...port])).toMatchObject({ code: 0 });
    expect(await run(['healthcheck', ...port])).toMatchObject({ code: 1 });
    const variables = { UNDERSTUDY_HOST: '127.0.0.2' };
    expect(await run(['healthcheck', ...port], { variables })).toMatchObject({ code: 0 });
  });

  it('asks at the port of the config file', async () => {
    const cwd = makeFolder();
    const port = await freePort();
    writeFileSync(join(cwd, 'understudy.config.yaml'), `port: ${port}\n`);
    await serve(['--port', String(port)]);
    expect(await run(['healthcheck'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(['0.0.0.0', '::'])(
    'uses the local address when the service listens on all addresses: %s',
    async (host) => {
      const { url } = await serve(['--host', host]);
      const args = ['healthcheck', '--port', new URL(url).port, '--host', host];
      expect(await run(args)).toMatchObject({ code: 0 });
    },
  );
});

describe.runIf(existsSync('/bin/bash'))('the health check of the image', () => {
  const [, command = ''] = /^HEALTHCHECK .*? CMD (.*)$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
  const program = join(import.meta.dirname, '..', '..', 'dist', 'understudy.js');
  const line = command.replace('/app/dist/understudy.js', `"${program}"`);

  /** Runs the line as the engine does, with only these programs. */
  function check(programs: string[], variables: Record<string, string>, cwd: string): number | null {
    const bin = makeFolder();
    for (const file of programs) symlinkSync(file, join(bin, basename(file)));
    return spawnSync('/bin/sh', ['-c', line], { env: { PATH: bin, ...variables }, cwd }).status;
  }

  it('asks with bash, and starts Node only where bash gets no answer', async () => {
    const { url } = await serve();
    const { port } = new URL(url);
    const other = String(await freePort());
    const cwd = makeFolder();
    const [bash, node] = ['/bin/bash', process.execPath];

    expect(check([bash], { UNDERSTUDY_PORT: port }, cwd)).toBe(0);
    expect(check([bash], { PORT: port }, cwd)).toBe(0);
    expect(check([bash, node], { UNDERSTUDY_PORT: other }, cwd)).toBe(1);
    writeFileSync(join(cwd, 'understudy.config.yaml'), `port: ${port}\n`);
    expect(check([bash, node], {}, cwd)).toBe(0);
    expect(check([node], { UNDERSTUDY_PORT: port }, cwd)).toBe(0);
  });
});

describe('the main process of a container', () => {
  const program = process.argv[1]!;
  const read = (words: string[]) => () => words.map((word) => `${word}\0`).join('');

  it.each([
    ['serve with flags', ['node', program, 'serve', '--port', '9000'], ['--port', '9000']],
    ['flags alone', ['node', program, '--port', '9000'], ['--port', '9000']],
    [
      'a command under an init process',
      ['/sbin/docker-init', '--', 'node', program, 'serve', '--host', '::'],
      ['--host', '::'],
    ],
    ['no flags', ['node', program], []],
    ['another program', ['/sbin/init', 'splash'], undefined],
    ['another command', ['node', program, 'coverage', '--format', 'json'], undefined],
  ])('shows which flags serve has: %s', (_, words, flags) => {
    expect(argumentsOfMainProcess(program, read(words))).toEqual(flags);
  });

  it('is ignored when it cannot be read', () => {
    const refuse = () => {
      throw new Error('EACCES');
    };
    expect(argumentsOfMainProcess(program, refuse)).toBeUndefined();
  });
});
