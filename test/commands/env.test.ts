import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../src/config.ts';
import { makeFolder, run, serve } from '../support/process.ts';

const TRUST = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'GRPC_DEFAULT_SSL_ROOTS_FILE_PATH',
  'REQUESTS_CA_BUNDLE',
];

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

  it('says in one line that nothing answers', async () => {
    const { code, stderr } = await run(['env', '--sdk', 'node', '--url', 'http://127.0.0.1:9']);
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
  });
});
