import { ApiError, invalidArgument } from '../../errors.ts';
import type { AnswerHeaders } from '../../text/json.ts';

/** Bytes before each message: one of flags, four of length. */
export const FRAME_HEAD = 5;

/** The head of an uncompressed message of `length` bytes. */
export function frameHead(length: number): Buffer {
  const head = Buffer.alloc(FRAME_HEAD);
  head.writeUInt32BE(length, 1);
  return head;
}

export function frame(bytes: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(FRAME_HEAD + bytes.length);
  framed[0] = 0;
  framed.writeUInt32BE(bytes.length, 1);
  framed.set(bytes, FRAME_HEAD);
  return framed;
}

/** Reads the one message of a call. Throws ApiError if there is not exactly one. */
export function readFrame(body: Buffer): Uint8Array {
  if (body.length === 0) throw new ApiError('unimplemented', 'the call has no message');
  if (body.length < FRAME_HEAD || body.readUInt32BE(1) !== body.length - FRAME_HEAD)
    throw invalidArgument('the call must have exactly one message');
  if (body[0] !== 0)
    throw new ApiError(
      'internal',
      'the message is compressed, but no grpc-encoding header names the encoding',
    );
  return body.subarray(FRAME_HEAD);
}

/** Headers that gRPC sets itself or that belong to a connection or a JSON body. A scenario may set any of them. */
const NOT_METADATA =
  /^(connection|content-.*|grpc-.*|host|http2-settings|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

/** The headers of a reply that may be sent with an RPC's answer. */
export function metadataOf(headers: AnswerHeaders): Record<string, string | string[]> {
  const metadata: Record<string, string | string[]> = {};
  for (const name in headers) if (!NOT_METADATA.test(name)) metadata[name] = headers[name]!;
  return metadata;
}
