import { existsSync, readFileSync } from 'node:fs';
import { contractDigest, DIGEST_FILE } from '../../scripts/contract-digest.mjs';

/** Fails before the first test if the generated contract is older than its sources. */
export function setup(): void {
  if (existsSync(DIGEST_FILE) && readFileSync(DIGEST_FILE, 'utf8') === contractDigest()) return;
  throw new Error('openapi/ has changed since the contract was generated: npm run generate');
}
