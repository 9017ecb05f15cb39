import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WatchedService } from './watched-service.ts';

/** What a program needs to call the service over TLS. `remove` deletes the file of the authority. */
export async function trustIn({ url, authority }: WatchedService, names: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-sweep-'));
  const file = join(folder, 'authority.pem');
  writeFileSync(file, await authority());
  const address = new URL(url);
  return {
    url: `https://localhost:${address.port}`,
    variables: Object.fromEntries(names.map((name) => [name, file])),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
