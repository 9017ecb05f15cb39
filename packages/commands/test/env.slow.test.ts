import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { KNOWN_CREDENTIALS } from '../../../src/start/config.ts';
import { makeFolder, run, serve } from '../../../test/support/process.ts';

const TRUST = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'GRPC_DEFAULT_SSL_ROOTS_FILE_PATH',
  'REQUESTS_CA_BUNDLE',
];

const NO_TRUST = Object.fromEntries(TRUST.map((name) => [name, '']));

/** CI may not have a JDK. */
const hasJava = spawnSync('keytool', ['-help']).error === undefined;

const authorityOf = async (url: string) => (await fetch(`${url}/_control/v1/ca.pem`)).text();

async function asked(sdk: string, flags: string[] = []) {
  const service = await serve();
  const caFile = join(makeFolder(), 'ca.pem');
  const args = ['env', '--sdk', sdk, '--url', service.url, '--ca-file', caFile, ...flags];
  const { code, stdout, stderr } = await run(args);
  return { service, caFile, code, stdout, stderr };
}

describe('understudy env', () => {
  it.each(['node', 'go'])('prints the http URL for %s, which needs no certificate', async (sdk) => {
    const { service, caFile, stdout } = await asked(sdk, ['--format', 'json']);
    expect(JSON.parse(stdout)).toEqual({
      SCALEKIT_ENVIRONMENT_URL: service.url,
      SCALEKIT_ENV_URL: service.url,
      SCALEKIT_CLIENT_ID: KNOWN_CREDENTIALS.client_id,
      SCALEKIT_CLIENT_SECRET: KNOWN_CREDENTIALS.client_secret,
    });
    expect(existsSync(caFile)).toBe(false);
  });

  it('prints the https URL and the CA variables for python', async () => {
    const { service, caFile, stdout } = await asked('python', ['--format', 'json']);
    const variables = JSON.parse(stdout);
    expect(variables.SCALEKIT_ENVIRONMENT_URL).toBe(service.url.replace('http:', 'https:'));
    const bundle = caFile.replace('.pem', '-bundle.pem');
    expect(TRUST.map((name) => variables[name])).toEqual([undefined, bundle, bundle, bundle]);
    expect(new X509Certificate(readFileSync(caFile)).ca).toBe(true);
  });

  it.each([
    ['node', 'NODE_EXTRA_CA_CERTS', (file: string) => file],
    ['go', 'SSL_CERT_FILE', (file: string) => file.replace('.pem', '-bundle.pem')],
  ])('prints the CA variable for %s when the URL is https', async (sdk, name, of) => {
    const service = await serve();
    const caFile = join(makeFolder(), 'ca.pem');
    const secure = service.url.replace('http:', 'https:');
    const { stdout } = await run(['env', '--sdk', sdk, '--url', secure, '--ca-file', caFile]);
    expect(stdout).toContain(`export ${name}='${of(caFile)}'`);
    expect(stdout).toContain(`export SCALEKIT_ENVIRONMENT_URL='${secure}'`);
    expect(readFileSync(caFile, 'utf8')).toContain('BEGIN CERTIFICATE');
  });

  it('prints quoted lines that a shell accepts', async () => {
    const { service, stdout } = await asked('python');
    const output = execFileSync('sh', ['-c', `${stdout}\nprintf %s "$SCALEKIT_ENVIRONMENT_URL"`], {
      encoding: 'utf8',
    });
    expect(output).toBe(service.url.replace('http:', 'https:'));
  });

  it('prints lines for a dotenv file', async () => {
    const { service, stdout } = await asked('node', ['--format', 'dotenv']);
    expect(stdout.split('\n')[0]).toBe(`SCALEKIT_ENVIRONMENT_URL="${service.url}"`);
  });

  it('says which variables of the shell a dotenv file does not replace', async () => {
    const service = await serve();
    const args = ['env', '--sdk', 'python', '--url', service.url, '--ca-file', join(makeFolder(), 'ca.pem')];
    const known = join(makeFolder(), 'known.pem');
    writeFileSync(known, rootCertificates[0]!);
    const hintOf = async (format: string, variables: Record<string, string>) => {
      const { stdout } = await run([...args, '--format', format], {
        variables: { ...NO_TRUST, ...variables },
      });
      return stdout.split('\n').find((line) => line.includes('This shell'));
    };

    const hint = await hintOf('dotenv', { SSL_CERT_FILE: known });

    expect(hint).toBe(
      '# This shell has SSL_CERT_FILE already, and dotenv keeps that: unset it, or export these lines.',
    );
    expect(await hintOf('dotenv', {})).toBeUndefined();
    expect(await hintOf('shell', { SSL_CERT_FILE: known })).toBeUndefined();
  });

  it.each(['shell', 'dotenv', 'json'])('prints the URL under both of its names: %s', async (format) => {
    const { service, stdout } = await asked('go', ['--format', format]);
    const places = stdout.split(/[\n,]/).filter((line) => line.includes(service.url));
    expect(places.map((line) => /SCALEKIT_\w+/.exec(line)?.[0])).toEqual([
      'SCALEKIT_ENVIRONMENT_URL',
      'SCALEKIT_ENV_URL',
    ]);
  });

  it('keeps other trusted certificates in the bundle, and drops those of earlier Understudy processes', async () => {
    const [service, other] = [await serve(), await serve()];
    const folder = makeFolder();
    const foreign = rootCertificates[0]!;
    const known = join(folder, 'known.pem');
    writeFileSync(known, `${await authorityOf(other.url)}\n${foreign}\n`);
    const args = ['env', '--sdk', 'python', '--format', 'json', '--url', service.url];
    const at = ['--ca-file', join(folder, 'ca.pem')];
    const variables = { GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: '', REQUESTS_CA_BUNDLE: known };
    const bundle = JSON.parse((await run([...args, ...at], { variables })).stdout).REQUESTS_CA_BUNDLE;
    expect(readFileSync(bundle, 'utf8')).toBe(`${(await authorityOf(service.url)).trim()}\n${foreign}\n`);
  });

  it.runIf(hasJava)(
    'creates a trust store for Java with the certificates of the JDK and of Understudy',
    async () => {
      const variables = { JAVA_TOOL_OPTIONS: '-Xmx64m -Djavax.net.ssl.trustStore=/gone' };
      const service = await serve();
      const caFile = join(makeFolder(), 'ca.pem');
      const args = ['env', '--sdk', 'java', '--url', service.url, '--ca-file', caFile, '--format'];
      const { stdout } = await run([...args, 'shell'], { variables });
      const options = JSON.parse((await run([...args, 'json'], { variables })).stdout).JAVA_TOOL_OPTIONS;
      const store = caFile.replace('.pem', '.truststore');

      expect(stdout).toMatch(
        /^# JAVA_TOOL_OPTIONS names a copy of \S+cacerts with Understudy's certificate added/,
      );
      expect(options).toBe(
        `-Xmx64m -Djavax.net.ssl.trustStore=${store} -Djavax.net.ssl.trustStorePassword=changeit`,
      );
      const count = (which: string[]) =>
        execFileSync('keytool', ['-list', '-storepass', 'changeit', ...which], { encoding: 'utf8' }).match(
          /trustedCertEntry/g,
        )?.length ?? 0;
      expect(count(['-keystore', store])).toBe(count(['-cacerts']) + 1);
      expect(readdirSync(dirname(store)).toSorted()).toEqual(['ca.pem', 'ca.truststore']);
    },
  );

  it('explains how to create the trust store when no JDK is found', async () => {
    const service = await serve();
    const args = ['env', '--sdk', 'java', '--url', service.url, '--ca-file', join(makeFolder(), 'ca.pem')];
    const { stdout } = await run(args, { variables: { PATH: '', JAVA_HOME: '' } });
    expect(stdout).toMatch(
      /no JDK was found here[^]*keytool -importcert[^]*--port 443[^]*JAVA_TOOL_OPTIONS=/,
    );
  });

  it('uses the default port of the scheme', async () => {
    const { code, stderr } = await run(['env', '--sdk', 'java', '--url', 'https://localhost']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/GET http:\/\/localhost:443\//)]);
  });

  it('says which secret belongs to which of several webhook endpoints', async () => {
    const webhooks = ['--webhook', 'http://one.example/hook', '--webhook', 'http://two.example/hook'];
    const service = await serve(webhooks);
    const args = ['env', '--sdk', 'node', '--url', service.url, '--format'];
    const variables = JSON.parse((await run([...args, 'json'])).stdout);
    expect(variables).toMatchObject({
      SCALEKIT_WEBHOOK_URL: 'http://one.example/hook',
      SCALEKIT_WEBHOOK_SECRET: expect.stringMatching(/^whsec_/),
      SCALEKIT_WEBHOOK_URL_2: 'http://two.example/hook',
      SCALEKIT_WEBHOOK_SECRET_2: expect.stringMatching(/^whsec_/),
    });
    const { stdout } = await run([...args, 'shell']);
    expect(stdout).toMatch(/^# SCALEKIT_WEBHOOK_SECRET signs what goes to http:\/\/one\.example\/hook \(/);
    expect(stdout).toMatch(/^# SCALEKIT_WEBHOOK_SECRET_2 signs what goes to http:\/\/two\.example\/hook \(/m);
  });

  it('prints a URL without a port for Java, whose SDK would take the port as part of the host', async () => {
    const { stdout } = await asked('java', ['--format', 'json']);
    expect(JSON.parse(stdout).SCALEKIT_ENVIRONMENT_URL).toMatch(/^https:\/\/[^:/]+$/);
  });

  it('prints the credentials of another environment', async () => {
    const service = await serve();
    await service.control.post('/environments').send({ name: 'worker-1' }).expect(201);
    const args = ['env', '--sdk', 'node', '--url', service.url, '--format', 'json', '--environment'];
    expect(JSON.parse((await run([...args, 'worker-1'])).stdout).SCALEKIT_CLIENT_ID).toMatch(
      /^skc_worker-1_/,
    );
    const { code, stderr } = await run([...args, 'worker-2']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('did you mean worker-1?')]);
  });

  it('reports in one line that the service is unreachable, and what to do', async () => {
    const { code, stderr } = await run(['env', '--sdk', 'node', '--url', 'http://127.0.0.1:9']);
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(stderr).toContain('nothing answers at http://127.0.0.1:9: start the service, or say with --url');
  });

  it.each([
    ['UNDERSTUDY_URL', (url: string) => url],
    ['UNDERSTUDY_PORT', (url: string) => new URL(url).port],
  ])('uses the service that %s names', async (name, of) => {
    const { url } = await serve();
    const args = ['env', '--sdk', 'node', '--format', 'json'];
    const { stdout } = await run(args, { variables: { [name]: of(url) } });
    expect(new URL(JSON.parse(stdout).SCALEKIT_ENVIRONMENT_URL).port).toBe(new URL(url).port);
  });

  it('writes separate certificate files for several services', async () => {
    const variables = { TMPDIR: makeFolder() };
    const trusted = async ({ url }: { url: string }) => {
      const args = ['env', '--sdk', 'python', '--format', 'json', '--url', url];
      return JSON.parse((await run(args, { variables })).stdout).REQUESTS_CA_BUNDLE as string;
    };
    const [one, other] = [await serve(), await serve()];
    const [first, second, again] = [await trusted(one), await trusted(other), await trusted(one)];

    expect([again, dirname(first)]).toEqual([first, variables.TMPDIR]);
    const authorities = await Promise.all([one, other].map(({ url }) => authorityOf(url)));
    const files = [first, second].map((file) => readFileSync(file.replace('-bundle', ''), 'utf8'));
    expect(files).toEqual(authorities);
  });

  it('prints the absolute path of the certificate file', async () => {
    const { url } = await serve();
    const cwd = realpathSync(makeFolder());
    const args = ['env', '--sdk', 'python', '--url', url, '--ca-file', 'ca.pem'];
    expect((await run(args, { cwd })).stdout).toContain(`REQUESTS_CA_BUNDLE='${join(cwd, 'ca-bundle.pem')}'`);
  });

  it('reports in one line that the certificate file cannot be written', async () => {
    const { url } = await serve();
    const caFile = join(makeFolder(), 'missing', 'ca.pem');
    const { code, stderr } = await run(['env', '--sdk', 'python', '--url', url, '--ca-file', caFile]);
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(stderr).toContain(`cannot write ${caFile}`);
  });

  it('warns that Node reads its CA variable before a dotenv file', async () => {
    const { url } = await serve();
    const at = (address: string) => ['env', '--sdk', 'node', '--format', 'dotenv', '--url', address];
    const caFile = join(makeFolder(), 'ca.pem');
    const secure = await run([...at(url.replace('http:', 'https:')), '--ca-file', caFile]);
    expect(secure.stdout).toMatch(/^# .*when it starts/);
    expect((await run(at(url))).stdout).not.toContain('#');
  });
});
