import { fromBinary } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { ErrorInfoSchema } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/errdetails/errdetails_pb.js';
import { expect } from 'vitest';
import { dialHttp2 } from '../../support/port.ts';

/** A message with its length prefix, as gRPC sends it. */
export function framed(bytes: Uint8Array, flags = 0): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/**
 * Sends any bytes as a message; returns the status, message and details of the trailers, and their size in
 * bytes.
 */
export async function callRaw(
  url: string,
  path: string,
  body: Uint8Array,
  headers: Record<string, string> = {},
) {
  const stream = dialHttp2(url).request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  stream.on('error', () => {});
  let head: Record<string, string> = {};
  let trailers: Record<string, string> = {};
  stream.on('response', (given) => (head = given as never));
  stream.on('trailers', (given) => (trailers = given as never));
  stream.end(body);
  stream.resume();
  await new Promise((resolve) => stream.once('close', resolve));
  return {
    code: Number(trailers['grpc-status']),
    message: decodeURIComponent(String(trailers['grpc-message'])),
    details: detailsOf(trailers),
    requestId: head['understudy-request-id'],
    size: Object.entries(trailers).reduce((sum, [name, value]) => sum + name.length + value.length + 32, 0),
  };
}

/** Decodes a google.rpc.Status. */
function detailsOf(trailers: Record<string, string>) {
  const reader = new BinaryReader(Buffer.from(String(trailers['grpc-status-details-bin']), 'base64'));
  const status: { code?: number; message?: string; errorCode?: string } = {};
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1) status.code = reader.int32();
    else if (field === 2) status.message = reader.string();
    else if (field === 3) status.errorCode = errorCodeOf(reader.bytes());
    else reader.skip(wireType);
  }
  return status;
}

function errorCodeOf(any: Uint8Array): string {
  const reader = new BinaryReader(any);
  reader.tag();
  expect(reader.string()).toBe('type.googleapis.com/scalekit.v1.errdetails.ErrorInfo');
  reader.tag();
  return fromBinary(ErrorInfoSchema, reader.bytes()).errorCode;
}
