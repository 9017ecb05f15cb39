import type { JsonValue } from '@bufbuild/protobuf';
import type { Route } from '../contract/router.ts';
import type { ApiError } from '../errors.ts';
import type { Call } from '../pipeline/call.ts';
import type { Asked } from './rpc.ts';

/** What an RPC asks of the pipeline. */
interface Transcoded extends Pick<Call, 'method' | 'path' | 'query'> {
  route?: Route;
  body?: JsonValue | undefined;
  /** Why its message can't be read. */
  bodyError?: ApiError | undefined;
}

/** An RPC as the pipeline takes it. A class, because an object with a getter of its own is slow to make. */
export class RpcCall implements Call {
  readonly route: Route | undefined;
  readonly protocol: string;
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly query: Call['query'];
  readonly headers: Call['headers'];
  readonly body: Uint8Array | undefined;
  readonly size: number;
  readonly bodyError: ApiError | undefined;
  readonly baseUrl: string;
  readonly host: string;
  readonly #leaving: Asked['leaving'];

  constructor(transcoded: Transcoded, { opening, protocol, leaving }: Asked) {
    const { route, method, path, query, body, bodyError } = transcoded;
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    this.route = route;
    this.protocol = protocol;
    this.method = method;
    this.path = path;
    this.url = path + searchOf(query);
    this.query = query;
    this.headers = bytes ? opening.headersOfBody : opening.headers;
    this.body = bytes;
    this.size = bytes?.length ?? 0;
    this.bodyError = bodyError;
    this.baseUrl = opening.baseUrl;
    this.host = opening.host;
    this.#leaving = leaving;
  }

  get signal(): AbortSignal {
    return this.#leaving.signal;
  }
}

function searchOf(query: Call['query']): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}
