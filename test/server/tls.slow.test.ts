import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { connect, type ConnectionOptions } from 'node:tls';
import type { OctetString } from 'asn1js';
import {
  Certificate,
  id_AuthorityKeyIdentifier,
  id_SubjectKeyIdentifier,
  type AuthorityKeyIdentifier,
} from 'pkijs';
import { describe, expect, it } from 'vitest';
import { issueAuthority, issueServer } from '../../src/server/certificates/issue.ts';
import { call2, dialHttp2, openPort } from '../support/port.ts';
import { makeFolder, run, serve } from '../support/process.ts';

const CA = '/_control/v1/ca.pem';
const HEALTH = '/_control/v1/health';

const authorityOf = async (url: string) => (await fetch(`${url}${CA}`)).text();

/** Connects as a client and returns the server's certificate and the negotiated protocol. */
function shake(port: number, options: ConnectionOptions) {
  return new Promise<{ certificate: X509Certificate; protocol: unknown }>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', ...options }, () => {
      const certificate = socket.getPeerX509Certificate()!;
      resolve({ certificate, protocol: socket.alpnProtocol });
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

const over1 = (url: string, ca: string) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    get(url, { ca, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode!, text }));
    }).once('error', reject);
  });

/** The key identifiers of a certificate, as base64. */
function keysOf({ raw }: X509Certificate) {
  const { extensions = [] } = Certificate.fromBER(new Uint8Array(raw));
  const valueOf = (id: string) => extensions.find(({ extnID }) => extnID === id)?.parsedValue;
  const issuer = valueOf(id_AuthorityKeyIdentifier) as AuthorityKeyIdentifier | undefined;
  const bytesOf = (block?: OctetString) =>
    block && Buffer.from(block.valueBlock.valueHexView).toString('base64');
  return { own: bytesOf(valueOf(id_SubjectKeyIdentifier)), issuer: bytesOf(issuer?.keyIdentifier) };
}

describe('TLS on the same port', () => {
  it('names the key of the authority in its certificate, which Python 3.13 requires', async () => {
    const { url, port } = await openPort();
    const ca = await authorityOf(url);
    const { certificate } = await shake(port, { ca, servername: 'localhost' });

    const { own } = keysOf(new X509Certificate(ca));
    expect(own).toHaveLength(28); // 20 bytes
    expect(keysOf(certificate).issuer).toBe(own);
  });

  it('serves HTTP/1.1 and HTTP/2 to clients that trust the authority, with an https issuer', async () => {
    const { url, port } = await openPort();
    const ca = await authorityOf(url);
    const secure = `https://localhost:${port}`;

    const one = await over1(`${secure}/.well-known/openid-configuration`, ca);
    const two = await call2(dialHttp2(secure, { ca }), { ':path': '/.well-known/openid-configuration' });

    expect([one.status, two.status]).toEqual([200, 200]);
    expect(JSON.parse(one.text).issuer).toBe(secure);
    expect(two.text).toBe(one.text);
    expect((await fetch(`${url}${HEALTH}`)).status).toBe(200);
  });

  it.each([
    [['h2', 'http/1.1'], 'h2'],
    [['http/1.1'], 'http/1.1'],
    [undefined, false],
  ])('negotiates a protocol: from %j it selects %s', async (ALPNProtocols, wanted) => {
    const { url, port } = await openPort();
    const ca = await authorityOf(url);
    const { protocol } = await shake(port, {
      ca,
      servername: 'localhost',
      ...(ALPNProtocols && { ALPNProtocols }),
    });
    expect(protocol).toBe(wanted);
  });

  it('is rejected by clients that do not trust the authority, and continues to serve others', async () => {
    const { url, port } = await openPort();
    await expect(shake(port, { servername: 'localhost' })).rejects.toThrow(/self-signed|unable to verify/);
    expect((await fetch(`${url}${HEALTH}`)).status).toBe(200);
  });

  it.each(['localhost', 'team-a.localhost', '127.0.0.1', '::1', 'idp.example', '10.1.2.3'])(
    'has a certificate for %s',
    async (host) => {
      const { url, port } = await openPort({ tls: { own: undefined, hosts: ['idp.example', '10.1.2.3'] } });
      const { certificate } = await shake(port, {
        ca: await authorityOf(url),
        servername: /^[\d.:]+$/.test(host) ? 'localhost' : host,
      });
      expect(/^[\d.:]+$/.test(host) ? certificate.checkIP(host) : certificate.checkHost(host)).toBeDefined();
    },
  );

  it("has a certificate that does not depend on the environment's clock", async () => {
    const { url, port, understudy } = await openPort();
    understudy.controls.simulator.environments
      .get('default')
      .setClock({ mode: 'frozen', at: '2040-01-01T00:00:00Z' });
    const { certificate } = await shake(port, { ca: await authorityOf(url), servername: 'localhost' });
    expect(new Date(certificate.validFrom).getTime()).toBeLessThan(Date.now());
    expect(new Date(certificate.validTo).getTime()).toBeLessThan(Date.parse('2040-01-01'));
  });
});

describe('the certificate authority', () => {
  it('is stored in the data folder with its certificates, and only the owner can read the keys', async () => {
    const data = makeFolder();
    const first = await serve(['--data', data]);
    const ca = await authorityOf(first.url);
    await first.stop();
    const kept = ['ca.pem', 'ca-key.pem', 'server.pem', 'server-key.pem'];
    const before = kept.map((file) => readFileSync(join(data, file), 'utf8'));

    const second = await serve(['--data', data]);

    expect(await authorityOf(second.url)).toBe(ca);
    expect(kept.map((file) => readFileSync(join(data, file), 'utf8'))).toEqual(before);
    expect(new X509Certificate(ca).ca).toBe(true);
    expect(statSync(join(data, 'ca-key.pem')).mode & 0o777).toBe(0o600);
    expect(statSync(join(data, 'server-key.pem')).mode & 0o777).toBe(0o600);
  });

  it('stays the same when a host name is added, and signs for it', async () => {
    const data = makeFolder();
    const first = await serve(['--data', data]);
    const ca = await authorityOf(first.url);
    await first.stop();

    const { url } = await serve(['--data', data, '--tls-host', 'idp.example']);

    expect(await authorityOf(url)).toBe(ca);
    const { certificate } = await shake(Number(new URL(url).port), { ca, servername: 'idp.example' });
    expect(certificate.checkHost('idp.example')).toBeDefined();
  });
});

describe('a certificate of your own', () => {
  it('is used, and is what clients must trust', async () => {
    const folder = makeFolder();
    const authority = await issueAuthority();
    const { certificate, key } = await issueServer(authority, ['idp.example']);
    const own = { certificate: join(folder, 'a.pem'), key: join(folder, 'b.pem') };
    writeFileSync(own.certificate, certificate);
    writeFileSync(own.key, key);

    const { url, port } = await openPort({ tls: { own, hosts: [] } });

    expect(await authorityOf(url)).toBe(certificate);
    const shown = await shake(port, { ca: authority.certificate, servername: 'idp.example' });
    expect(shown.certificate.checkHost('idp.example')).toBeDefined();
  });

  it.each([
    [['--tls-cert', 'x.pem'], 'go together'],
    [['--tls-cert', 'x.pem', '--tls-key', 'y.pem'], 'x.pem'],
    [['--tls-host', 'idp.example:8443'], 'idp.example:8443 is neither the name of a host'],
    [['--tls-host', '999.1.1.1'], '999.1.1.1 is neither the name of a host'],
    [['--tls-host', 'fe80::1%eth0'], 'fe80::1%eth0 is neither the name of a host'],
    [['--tls-host', 'idp.example,https://other'], 'https://other is neither the name of a host'],
  ])('is refused with one line for %j', async (flags, told) => {
    const { code, stderr } = await run(['serve', '--memory', '--port', '0', ...flags]);
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(stderr).toContain(told);
  });

  it.each([
    ['the key of another certificate', 'b.pem is not the key of', async () => (await issueAuthority()).key],
    ['no key at all', 'b.pem is not a PEM private key', async () => 'ssh-rsa AAAA'],
  ])('is refused at the start with %s', async (_, told, makeKey) => {
    const folder = makeFolder();
    const [certificate, key] = [join(folder, 'a.pem'), join(folder, 'b.pem')];
    writeFileSync(certificate, (await issueAuthority()).certificate);
    writeFileSync(key, await makeKey());

    const { code, stderr } = await run(['serve', '--memory', '--tls-cert', certificate, '--tls-key', key]);

    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(stderr).toContain(told);
  });
});
