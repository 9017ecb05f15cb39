import type { AnswerHeaders } from '../answer-headers.ts';

/** Headers of one connection, of a body in JSON, and what gRPC says by itself: a scenario may have set any of them. */
const NOT_METADATA =
  /^(connection|content-.*|grpc-.*|host|http2-settings|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

/** The headers of an answer that go out with an RPC's. */
export function metadataOf(headers: AnswerHeaders): Record<string, string | string[]> {
  const metadata: Record<string, string | string[]> = {};
  for (const name in headers) if (!NOT_METADATA.test(name)) metadata[name] = headers[name]!;
  return metadata;
}
