import type { Readable } from 'node:stream';
import { ApiError, invalidArgument } from '../../errors.ts';

/** Where a process takes calls that another one forwards. It is part of no contract. */
export const FORWARDED_PATH = '/_replicas/calls';

const LENGTH_BYTES = 4;
/** Bytes of JSON: the message of an RPC may be some times as large as it was in protobuf. */
const MOST_JSON = 16_000_000;

/** JSON of a known length; any bytes may follow. */
export function frameOf(head: object): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text]);
}

export interface Frame<T> {
  head: T;
  /** What follows. Whoever stops reading it early destroys the stream. */
  rest: AsyncGenerator<Buffer>;
}

/** Reads the JSON. Throws an ApiError if the bytes are no frame, and what the stream throws if it breaks. */
export async function readFrame<T>(stream: Readable): Promise<Frame<T>> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const length = await readBytes(LENGTH_BYTES, Buffer.alloc(0), chunks);
  const size = length.bytes.readUInt32BE();
  if (size > MOST_JSON) throw tooLarge(MOST_JSON);
  const { bytes, rest } = await readBytes(size, length.rest, chunks);
  return { head: parsed(bytes) as T, rest: restOf(rest, chunks) };
}

async function readBytes(count: number, first: Buffer, chunks: AsyncIterator<Buffer>) {
  const read = [first];
  for (let size = first.length; size < count;) {
    const next = await chunks.next();
    if (next.done) throw invalidArgument('the frame has ended early');
    read.push(next.value);
    size += next.value.length;
  }
  const all = Buffer.concat(read);
  return { bytes: all.subarray(0, count), rest: all.subarray(count) };
}

function parsed(bytes: Buffer): unknown {
  try {
    const head: unknown = JSON.parse(bytes.toString());
    if (typeof head === 'object' && head !== null) return head;
  } catch {
    // It is refused like JSON of another kind.
  }
  throw invalidArgument('the frame does not begin with a JSON object');
}

const tooLarge = (limit: number) =>
  new ApiError('payload_too_large', `the frame is larger than ${limit / 1_000_000} MB`);

async function* restOf(first: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (first.length > 0) yield first;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  } finally {
    await chunks.return?.();
  }
}

/** Throws an ApiError if there are more bytes than `limit`. */
export async function allOf(bytes: AsyncIterable<Buffer>, limit = Infinity): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
