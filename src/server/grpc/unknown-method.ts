import type { ServerResponse } from 'node:http';
import { Code, ConnectError } from '@connectrpc/connect';
import type { WrittenReply } from '../../pipeline/call.ts';
import { RequestCarrier } from './carrier.ts';
import type { RpcListener, RpcRequest, RpcResponse } from './details.ts';
import { RpcCall, type Opening, type Pipeline } from './rpc.ts';
import { errorOf } from './status.ts';
import { respond } from './unary.ts';

interface Parts extends Pick<Pipeline, 'serve'> {
  opening: (request: RpcRequest) => Opening;
}

/** `/package.Service/Method`, which no path of the contract looks like. */
const RPC_PATH = /^\/\w+(\.\w+)+\/\w+$/;

/** A method that no service has. The pipeline refuses it as it does an unknown path, so that the journal knows of it. */
export function createFallback({ serve, opening }: Parts): RpcListener {
  return (request, response) => {
    request.resume();
    const [path = '/'] = (request.url ?? '/').split('?');
    const leaving = { signal: new AbortController().signal };
    const asked = { opening: opening(request), protocol: protocolOf(request), path, size: 0, leaving };
    if (!RPC_PATH.test(path))
      return refuse(request, response, new ConnectError(`${path} is no method`, Code.Unimplemented));
    void serve(new RpcCall({ method: 'POST', path, query: {} }, asked)).then((reply) =>
      isGrpc(request)
        ? refuse(request, response, errorOf(reply.status, reply.body), reply)
        : send(response, reply),
    );
  };
}

function refuse(
  request: RpcRequest,
  response: RpcResponse,
  error: ConnectError,
  { headers }: Pick<WrittenReply, 'headers'> = { headers: {} },
): void {
  respond(new RequestCarrier(request, response), { headers, error });
}

/** gRPC-Web and Connect have their own ways to read an answer of HTTP's, gRPC has none. */
function send(response: RpcResponse, { status, headers, text }: WrittenReply): void {
  (response as ServerResponse)
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(text);
}

const isGrpc = (request: RpcRequest) => protocolOf(request) === 'grpc';

function protocolOf({ headers }: RpcRequest): string {
  const type = headers['content-type'] ?? '';
  if (type.startsWith('application/grpc-web')) return 'grpc-web';
  return type.startsWith('application/grpc') ? 'grpc' : 'connect';
}
