import type { Contract } from '../../contract/contract.ts';
import type { Route } from '../../contract/router.ts';
import { ApiError } from '../../errors.ts';
import type { Call } from '../../pipeline/call.ts';

/** Which part of the server a call has come to. */
export type Api = 'service' | 'control';

/** A call on its way to the owner of its environment; the body follows. */
export interface CallHead extends Pick<
  Call,
  | 'protocol'
  | 'method'
  | 'path'
  | 'isUnknownRpc'
  | 'url'
  | 'query'
  | 'headers'
  | 'size'
  | 'baseUrl'
  | 'host'
  | 'message'
> {
  api: Api;
  hasBody: boolean;
  bodyError?: ErrorHead;
  route?: { operation: string; params: Route['params']; rejection?: ErrorHead };
  /** The environment of the call, once the process that was asked first has said so. */
  environment?: string | undefined;
  /** Names that belong to no environment of the database. */
  absent: readonly string[];
  /** Instead of an answer: the id of the organization with this external id. */
  externalId?: string | undefined;
}

type ErrorHead = Pick<ApiError, 'failure' | 'message'> & { parts: object };

function errorHead({ failure, message, parts }: ApiError): ErrorHead {
  const { cause: _, ...told } = parts;
  return { failure, message, parts: told };
}

const errorIn = ({ failure, message, parts }: ErrorHead) => new ApiError(failure, message, parts);

export function headOf(
  call: Call,
  further: Pick<CallHead, 'api' | 'absent' | 'environment' | 'externalId'>,
): CallHead {
  const { protocol, method, path, url, query, headers, size, baseUrl, host, message } = call;
  const { route, bodyError, isUnknownRpc } = call;
  return {
    protocol,
    method,
    path,
    url,
    query,
    headers,
    size,
    baseUrl,
    host,
    message,
    ...further,
    hasBody: call.body !== undefined,
    ...(isUnknownRpc && { isUnknownRpc }),
    ...(bodyError && { bodyError: errorHead(bodyError) }),
    ...(route && {
      route: {
        operation: route.operation.id,
        params: route.params,
        ...(route.rejection && { rejection: errorHead(route.rejection) }),
      },
    }),
  };
}

/** The call that another process has forwarded. */
export class ForwardedCall implements Call {
  readonly protocol: string;
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly isUnknownRpc: boolean;
  readonly query: Call['query'];
  readonly route: Route | undefined;
  readonly headers: Call['headers'];
  readonly body: Uint8Array | undefined;
  readonly message: unknown;
  readonly size: number;
  readonly bodyError: ApiError | undefined;
  readonly baseUrl: string;
  readonly host: string;
  readonly signal: AbortSignal;

  constructor(
    head: CallHead,
    body: Uint8Array,
    { contract, signal }: { contract: Contract; signal: AbortSignal },
  ) {
    this.protocol = head.protocol;
    this.method = head.method;
    this.path = head.path;
    this.isUnknownRpc = head.isUnknownRpc ?? false;
    this.url = head.url;
    this.query = head.query;
    this.route = head.route && routeIn(head.route, contract);
    this.headers = head.headers;
    this.body = head.hasBody ? body : undefined;
    this.message = head.message;
    this.size = head.size;
    this.bodyError = head.bodyError && errorIn(head.bodyError);
    this.baseUrl = head.baseUrl;
    this.host = head.host;
    this.signal = signal;
  }
}

function routeIn(
  { operation: id, params, rejection }: NonNullable<CallHead['route']>,
  contract: Contract,
): Route {
  const operation = contract.operation(id);
  if (!operation) throw new ApiError('unavailable', `this process does not know the operation ${id}`);
  return { operation, params, ...(rejection && { rejection: errorIn(rejection) }) };
}
