import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../src/config.ts';
import { makeFolder, run, serve } from '../support/process.ts';

const TRUST = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'GRPC_DEFAULT_SSL_ROOTS_FILE_PATH',
  'REQUESTS_CA_BUNDLE',
];

const authorityOf = async (url: string) => (await fetch(`${url}/_control/v1/ca.pem`)).text();

async function asked(sdk: string, flags: string[] = []) {
  const service = await serve();
  const caFile = join(makeFolder(), 'ca.pem');
  const args = ['env', '--sdk', sdk, '--url', service.url, '--ca-file', caFile, ...flags];
  const { code, stdout, stderr } = await run(args);
  return { service, caFile, code, stdout, stderr };
}

describe('understudy env', () => {
  it.each(['node', 'go'])('names the plain address for %s, and needs no certificate', async (sdk) => {
    const { service, caFile, stdout } = await asked(sdk, ['--format', 'json']);
    expect(JSON.parse(stdout)).toEqual({
      SCALEKIT_ENVIRONMENT_URL: service.url,
      SCALEKIT_CLIENT_ID: KNOWN_CREDENTIALS.client_id,
      SCALEKIT_CLIENT_SECRET: KNOWN_CREDENTIALS.client_secret,
    });
    expect(existsSync(caFile)).toBe(false);
  });

  it('names TLS for python, and what it must trust', async () => {
    const { service, caFile, stdout } = await asked('python', ['--format', 'json']);
    const variables = JSON.parse(stdout);
    expect(variables.SCALEKIT_ENVIRONMENT_URL).toBe(service.url.replace('http:', 'https:'));
    expect(TRUST.map((name) => variables[name])).toEqual([undefined, undefined, caFile, caFile]);
    expect(new X509Certificate(readFileSync(caFile)).ca).toBe(true);
  });

  it.each([
    ['node', 'NODE_EXTRA_CA_CERTS'],
    ['go', 'SSL_CERT_FILE'],
  ])('says what %s must trust when the address is one of TLS', async (sdk, name) => {
    const service = await serve();
    const caFile = join(makeFolder(), 'ca.pem');
    const secure = service.url.replace('http:', 'https:');
    const { stdout } = await run(['env', '--sdk', sdk, '--url', secure, '--ca-file', caFile]);
    expect(stdout).toContain(`export ${name}='${caFile}'`);
    expect(stdout).toContain(`export SCALEKIT_ENVIRONMENT_URL='${secure}'`);
    expect(readFileSync(caFile, 'utf8')).toContain('BEGIN CERTIFICATE');
  });

  it('is what a shell takes, quotes and all', async () => {
    const { service, stdout } = await asked('python');
    const said = execFileSync('sh', ['-c', `${stdout}\nprintf %s "$SCALEKIT_ENVIRONMENT_URL"`], {
      encoding: 'utf8',
    });
    expect(said).toBe(service.url.replace('http:', 'https:'));
  });

  it('is what a file of variables takes', async () => {
    const { service, stdout } = await asked('node', ['--format', 'dotenv']);
    expect(stdout.split('\n')[0]).toBe(`SCALEKIT_ENVIRONMENT_URL="${service.url}"`);
  });

  it('tells how Java comes to trust, and of its port', async () => {
    const { stdout } = await asked('java');
    expect(stdout).toMatch(/keytool -importcert[^]*--port 443[^]*JAVA_TOOL_OPTIONS=/);
  });

  it('names no port to Java, whose SDK would take it for a part of the host', async () => {
    const { stdout } = await asked('java', ['--format', 'json']);
    expect(JSON.parse(stdout).SCALEKIT_ENVIRONMENT_URL).toMatch(/^https:\/\/[^:/]+$/);
  });

  it('has the credentials of another environment', async () => {
    const service = await serve();
    await service.control.post('/environments').send({ name: 'worker-1' }).expect(201);
    const args = ['env', '--sdk', 'node', '--url', service.url, '--format', 'json', '--environment'];
    expect(JSON.parse((await run([...args, 'worker-1'])).stdout).SCALEKIT_CLIENT_ID).toMatch(
      /^skc_worker-1_/,
    );
    const { code, stderr } = await run([...args, 'worker-2']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('did you mean worker-1?')]);
  });

  it('says in one line that nothing answers, and what to do', async () => {
    const { code, stderr } = await run(['env', '--sdk', 'node', '--url', 'http://127.0.0.1:9']);
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(stderr).toContain('nothing answers at http://127.0.0.1:9: start the service, or say with --url');
  });

  it.each([
    ['UNDERSTUDY_URL', (url: string) => url],
    ['UNDERSTUDY_PORT', (url: string) => new URL(url).port],
  ])('asks the service that %s names', async (name, of) => {
    const { url } = await serve();
    const args = ['env', '--sdk', 'node', '--format', 'json'];
    const { stdout } = await run(args, { variables: { [name]: of(url) } });
    expect(new URL(JSON.parse(stdout).SCALEKIT_ENVIRONMENT_URL).port).toBe(new URL(url).port);
  });

  it('gives services side by side a file each for what to trust', async () => {
    const variables = { TMPDIR: makeFolder() };
    const trusted = async ({ url }: { url: string }) => {
      const args = ['env', '--sdk', 'python', '--format', 'json', '--url', url];
      return JSON.parse((await run(args, { variables })).stdout).REQUESTS_CA_BUNDLE as string;
    };
    const [one, other] = [await serve(), await serve()];
    const [first, second, again] = [await trusted(one), await trusted(other), await trusted(one)];

    expect([again, dirname(first)]).toEqual([first, variables.TMPDIR]);
    const authorities = await Promise.all([one, other].map(({ url }) => authorityOf(url)));
    expect([first, second].map((file) => readFileSync(file, 'utf8'))).toEqual(authorities);
  });

  it('names the file so that another folder finds it', async () => {
    const { url } = await serve();
    const cwd = realpathSync(makeFolder());
    const args = ['env', '--sdk', 'python', '--url', url, '--ca-file', 'ca.pem'];
    expect((await run(args, { cwd })).stdout).toContain(`REQUESTS_CA_BUNDLE='${join(cwd, 'ca.pem')}'`);
  });

  it('says in one line that the file can not be written', async () => {
    const { url } = await serve();
    const caFile = join(makeFolder(), 'missing', 'ca.pem');
    const { code, stderr } = await run(['env', '--sdk', 'python', '--url', url, '--ca-file', caFile]);
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(stderr).toContain(`can not write ${caFile}`);
  });

  it('warns that Node reads what to trust before it reads a file of variables', async () => {
    const { url } = await serve();
    const at = (address: string) => ['env', '--sdk', 'node', '--format', 'dotenv', '--url', address];
    const caFile = join(makeFolder(), 'ca.pem');
    const secure = await run([...at(url.replace('http:', 'https:')), '--ca-file', caFile]);
    expect(secure.stdout).toMatch(/^# .*as it starts/);
    expect((await run(at(url))).stdout).not.toContain('#');
  });
});
