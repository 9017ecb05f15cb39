// A digest of the sources of the contract and the catalogue, to notice that what `npm run generate` made of them is stale.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The generator writes the digest of what it has read here. */
export const DIGEST_FILE = 'src/contract/digest.gen.txt';

export function contractDigest() {
  const hash = createHash('sha256');
  const entries = ['catalogue', 'openapi'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }),
  );
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const file of files.toSorted()) hash.update(`${file}\0`).update(readFileSync(file));
  return hash.digest('hex');
}
