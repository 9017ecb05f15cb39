import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** One frame of gRPC, gRPC-Web or a Connect stream. */
export interface Frame {
  flags: number;
  bytes: Buffer;
}

const HEAD = 5;
const COMPRESSED = 1;
/** gRPC-Web sends trailers as a last frame. */
export const TRAILERS = 0x80;
/** The last frame of a Connect stream. */
export const END_OF_STREAM = 2;

/** The frames of a body. Throws for a body that ends in the middle of one, and for frames that cannot be decompressed. */
export function readFrames(body: Buffer, encoding: string, limit: number): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < body.length;) {
    if (body.length < at + HEAD) throw new RangeError('a frame is cut off');
    const flags = body[at]!;
    const length = body.readUInt32BE(at + 1);
    const bytes = body.subarray(at + HEAD, at + HEAD + length);
    if (bytes.length < length) throw new RangeError('a frame is cut off');
    frames.push({ flags, bytes: flags & COMPRESSED ? decompress(bytes, encoding, limit) : bytes });
    at += HEAD + length;
  }
  return frames;
}

/** Throws for unknown encodings, for damaged bodies and for those over the limit. */
export function decompress(bytes: Buffer, encoding: string, limit: number): Buffer {
  const options = { maxOutputLength: limit };
  const names = encoding.toLowerCase().split(/ *, */).toReversed();
  return names.reduce((packed, name) => {
    if (name === '' || name === 'identity') return packed;
    if (name === 'gzip' || name === 'x-gzip') return gunzipSync(packed, options);
    if (name === 'deflate') return inflateSync(packed, options);
    if (name === 'br') return brotliDecompressSync(packed, options);
    throw new RangeError(`the encoding ${name} is unknown`);
  }, bytes);
}
