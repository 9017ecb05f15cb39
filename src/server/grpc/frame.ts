import { ApiError, invalidArgument } from '../../errors.ts';
import type { AnswerHeaders } from '../../text/json.ts';

/** A byte of flags, and the length in four. */
export const FRAME_HEAD = 5;

/** The head of a message of that many bytes, which is not compressed. */
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

/** The one message of a call. Throws ApiError for anything else. */
export function readFrame(body: Buffer): Uint8Array {
  if (body.length === 0) throw new ApiError('unimplemented', 'the call has no message');
  if (body.length < FRAME_HEAD || body.readUInt32BE(1) !== body.length - FRAME_HEAD)
    throw invalidArgument('the call has not exactly one message');
  if (body[0] !== 0)
    throw new ApiError('internal', 'the message is compressed, and its encoding is not said');
  return body.subarray(FRAME_HEAD);
}

/** Headers of one connection, of a body in JSON, and what gRPC says by itself: a scenario may have set any of them. */
const NOT_METADATA =
  /^(connection|content-.*|grpc-.*|host|http2-settings|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

/** The headers of an answer that go out with an RPC's. */
export function metadataOf(headers: AnswerHeaders): Record<string, string | string[]> {
  const metadata: Record<string, string | string[]> = {};
  for (const name in headers) if (!NOT_METADATA.test(name)) metadata[name] = headers[name]!;
  return metadata;
}
