import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Certificates } from '../../src/server/certificates/certificates.ts';
import { issueAuthority, issueServer } from '../../src/server/certificates/issue.ts';
import { makeFolder, serve } from '../support/process.ts';

/** Whether a client that trusts the service's authority can connect. */
async function isTrusted(url: string): Promise<boolean> {
  const ca = await (await fetch(`${url}/_control/v1/ca.pem`)).text();
  return new Promise((resolve) => {
    const socket = connect({
      port: Number(new URL(url).port),
      host: '127.0.0.1',
      servername: 'localhost',
      ca,
    });
    socket.once('secureConnect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.once('secureConnect', () => socket.destroy());
  });
}

async function kept() {
  const folder = makeFolder();
  const lines: string[] = [];
  const open = () => new Certificates({ folder, hosts: [] }, (line) => lines.push(line));
  const authority = await open().authority();
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const damage = (file: string, text: string) => writeFileSync(join(folder, file), text);
  return { folder, lines, open, authority, read, damage };
}

describe('stored certificates', () => {
  it.each([
    ['an invalid certificate', async () => ({ 'server.pem': 'garbage' })],
    ['an empty key', async () => ({ 'server-key.pem': '' })],
    ['the key of another certificate', async () => ({ 'server-key.pem': (await issueAuthority()).key })],
    [
      'the signature of another authority',
      async () => {
        const { certificate, key } = await issueServer(await issueAuthority(), ['localhost']);
        return { 'server.pem': certificate, 'server-key.pem': key };
      },
    ],
  ])('are issued again when they have %s, and the authority is kept', async (_, damages) => {
    const { open, authority, read, damage, lines } = await kept();
    for (const [file, text] of Object.entries(await damages())) damage(file, text);

    const certificates = open();

    expect(await certificates.authority()).toBe(authority);
    expect((await certificates.server()).certificate).toBe(read('server.pem'));
    expect(read('server.pem')).toMatch('BEGIN CERTIFICATE');
    expect(lines).toEqual([]);
  });

  it.each([
    ['an invalid certificate', async () => ({ 'ca.pem': 'garbage' })],
    ['half a key', async () => ({ 'ca-key.pem': '-----BEGIN PRIVATE KEY-----\nMIG' })],
    ['the key of another certificate', async () => ({ 'ca-key.pem': (await issueAuthority()).key })],
  ])(
    'are issued by a new authority when the authority has %s, and a warning is logged',
    async (_, damages) => {
      const { open, authority, damage, lines, folder } = await kept();
      for (const [file, text] of Object.entries(await damages())) damage(file, text);

      expect(await open().authority()).not.toBe(authority);

      expect(lines).toEqual([expect.stringContaining(join(folder, 'ca.pem'))]);
    },
  );

  it('work for clients that trust the authority, even after they were damaged', async () => {
    const { folder, damage } = await kept();
    damage('ca.pem', 'garbage');
    damage('server-key.pem', 'garbage');
    const service = await serve(['--data', folder]);
    expect(await isTrusted(service.url)).toBe(true);
    expect(service.stderr()).toMatch(/^warn: .*ca\.pem is damaged/);
  });
});
