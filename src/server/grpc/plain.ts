import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request is plain gRPC, as all official SDKs speak it: binary, and not compressed. The library serves all
 * else; what it does to be fit for every protocol costs more than the call itself.
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
