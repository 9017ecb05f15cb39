import { version } from 'node:process';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { BundleError, LIMITS } from './format.ts';

type Unpack = (bytes: Uint8Array, options: zlib.ZlibOptions, done: zlib.CompressCallback) => void;

/** Zstandard, which Node has from 22.15 on, is the smaller and the faster one. */
const zstd = zlib as { zstdCompress?: typeof zlib.gzip; zstdDecompress?: Unpack };

export const compressed = (text: string): Promise<Uint8Array> =>
  promisify<Uint8Array, Uint8Array>(zstd.zstdCompress ?? zlib.gzip)(Buffer.from(text));

const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];

/** The text in a file from anywhere. Throws BundleError. */
export async function textIn(bytes: Uint8Array): Promise<string> {
  if (bytes.length > LIMITS.file)
    throw new BundleError(`the file has ${bytes.length} bytes, and a bundle has at most ${LIMITS.file}`);
  const begins = (magic: readonly number[]) => magic.every((byte, index) => bytes[index] === byte);
  const options = { maxOutputLength: LIMITS.text };
  try {
    if (begins(GZIP)) return utf8(await promisify(zlib.gunzip)(bytes, options));
    if (begins(ZSTD) && zstd.zstdDecompress)
      return utf8(await promisify(zstd.zstdDecompress)(bytes, options));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new BundleError(
        `the file has more than ${LIMITS.text} bytes when it is unpacked, and a bundle has no more`,
      );
    throw new BundleError(`the file is damaged: ${(thrown as Error).message}`);
  }
  if (begins(ZSTD))
    throw new BundleError(
      `the file is compressed with Zstandard, which Node ${version} cannot read: use Node 22.15 or later`,
    );
  throw new BundleError('the file is no bundle: it is compressed neither with gzip nor with Zstandard');
}

const utf8 = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes);
