import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { UsageError } from '@understudy/core/cli/usage-error';
import type { Contract } from '@understudy/core/contract/contract';
import { BundleError, LIMITS, type Bundle } from './format.ts';
import { readBundle } from './read.ts';

/** Throws UsageError with the name of the file. */
export async function readBundleFile(file: string, control: Contract): Promise<Bundle> {
  try {
    return await readBundle(await bytesOf(file), control);
  } catch (thrown) {
    if (thrown instanceof BundleError) throw new UsageError(`${file}: ${thrown.message}`, { cause: thrown });
    throw thrown;
  }
}

async function bytesOf(file: string): Promise<Uint8Array> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`${file}: there is no such file`);
  if (!found.isFile()) throw new UsageError(`${file}: it is no file`);
  if (found.size > LIMITS.file)
    throw new BundleError(`the file has ${found.size} bytes, and a bundle has at most ${LIMITS.file}`);
  return readFile(file);
}
