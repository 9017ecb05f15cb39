import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import type { WatchedService } from './watched-service.ts';

/** What gRPC, requests, and Python's own TLS read. Each replaces the usual list of authorities. */
export const PYTHON_TRUST = ['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH', 'REQUESTS_CA_BUNDLE', 'SSL_CERT_FILE'];

/** Whether the command runs Python, whose SDK calls over TLS only. */
export const isPython = (command: readonly string[]): boolean =>
  command.some((word) => /^(python[\d.]*|pytest|py\.test)(\.exe)?$/.test(basename(word)));

type Variables = Readonly<Record<string, string | undefined>>;

/** What a program needs to call the service over TLS. `remove` deletes the file of the authority. */
export async function trustIn(
  { url, authority }: WatchedService,
  names: readonly string[],
  variables: Variables,
) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-sweep-'));
  const file = join(folder, 'authority.pem');
  const known = names.map((name) => variables[name]).find(Boolean);
  // Tests may call others, too.
  const others = known === undefined ? rootCertificates : [readFileSync(known, 'utf8')];
  writeFileSync(file, [await authority(), ...others].join('\n'));
  const address = new URL(url);
  return {
    url: `https://localhost:${address.port}`,
    variables: Object.fromEntries(names.map((name) => [name, file])),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
