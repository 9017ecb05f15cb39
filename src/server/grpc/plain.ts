import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request is plain gRPC, as all official SDKs speak it: binary and uncompressed. Such calls take a fast path,
 * because the library's support for every protocol costs more time than the call. The library serves all other calls.
 */
export function isPlain(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type'];
  return (
    method === 'POST' &&
    (type === 'application/grpc' || type === 'application/grpc+proto') &&
    (headers['grpc-encoding'] ?? 'identity') === 'identity' &&
    /^(\d{1,8}[HMSmun])?$/.test(String(headers['grpc-timeout'] ?? ''))
  );
}
