import type { Readable } from 'node:stream';

/** Where a process takes calls that another one forwards. It is part of no contract. */
export const FORWARDED_PATH = '/_replicas/calls';

const LENGTH_BYTES = 4;

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

/** Reads the JSON. Throws if the stream ends before. */
export async function readFrame<T>(stream: Readable): Promise<Frame<T>> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let read = Buffer.alloc(0);
  const end = () => (read.length < LENGTH_BYTES ? Infinity : LENGTH_BYTES + read.readUInt32BE());
  while (read.length < end()) {
    const next = await chunks.next();
    if (next.done) throw new Error('the stream has ended early');
    read = Buffer.concat([read, next.value]);
  }
  const head = JSON.parse(read.toString('utf8', LENGTH_BYTES, end())) as T;
  return { head, rest: restOf(read.subarray(end()), chunks) };
}

async function* restOf(first: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (first.length > 0) yield first;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  } finally {
    await chunks.return?.();
  }
}

export async function allOf(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}
