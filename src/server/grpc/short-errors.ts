import type { OutgoingHttpHeaders } from 'node:http';
import { shortMessage } from './status.ts';
import { frameHead, type RpcResponse } from './wire.ts';

/** Errors of at most so many bytes are sent as they are. */
const LARGE = 20_000;
/** The first byte of the frame with which gRPC-Web ends an answer. */
const TRAILERS = 0x80;
const FRAME_HEAD = 5;

/** The library repeats a value of JSON that it cannot read, however long it is: its errors are shortened here. */
export function shortenErrors(response: RpcResponse): void {
  const begin = response.writeHead.bind(response) as (
    status: number,
    headers: OutgoingHttpHeaders,
  ) => unknown;
  response.writeHead = ((status: number, { 'content-length': length, ...headers }: OutgoingHttpHeaders) =>
    begin(
      status,
      status < 400 && length !== undefined ? { ...headers, 'content-length': length } : headers,
    )) as never;
  const write = response.write.bind(response) as (bytes: Uint8Array, ...more: unknown[]) => boolean;
  response.write = ((bytes: Uint8Array, ...more: unknown[]) =>
    write(bytes.length > LARGE ? bounded(bytes, response.statusCode) : bytes, ...more)) as typeof write;
}

function bounded(bytes: Uint8Array, status: number): Uint8Array {
  if (bytes[0] === TRAILERS) return withShortTrailer(bytes);
  return status < 400 ? bytes : withShortMessage(bytes);
}

function withShortMessage(bytes: Uint8Array): Uint8Array {
  const error = JSON.parse(Buffer.from(bytes).toString()) as { message?: unknown };
  return Buffer.from(JSON.stringify({ ...error, message: shortMessage(String(error.message)) }));
}

function withShortTrailer(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes.subarray(FRAME_HEAD)).toString();
  const trailers = Buffer.from(
    text.replace(/(grpc-message: *)([^\r\n]*)/i, (_, name: string, message: string) => {
      return name + encodeURIComponent(shortMessage(decodeURIComponent(message)));
    }),
  );
  const head = frameHead(trailers.length);
  head[0] = TRAILERS;
  return Buffer.concat([head, trailers]);
}
