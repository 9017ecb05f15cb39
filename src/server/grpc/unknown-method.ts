import type { ServerResponse } from 'node:http';
import { Code, ConnectError } from '@connectrpc/connect';
import type { WrittenReply } from '../../pipeline/call.ts';
import { RequestCarrier } from './carrier.ts';
import type { RpcListener, RpcRequest, RpcResponse } from './wire.ts';
import { RpcCall, unknownMethod, type RpcContext, type Pipeline } from './rpc.ts';
import { errorOf } from './status.ts';
import { respond } from './unary.ts';

interface Parts extends Pick<Pipeline, 'serve'> {
  contextOf: (request: RpcRequest) => RpcContext;
}

/** `/package.Service/Method`: no path of the contract has this form. */
const RPC_PATH = /^\/\w+(\.\w+)+\/\w+$/;

/** Answers a method that no service has. It passes the pipeline like an unknown path, so the journal records it. */
export function createFallback({ serve, contextOf }: Parts): RpcListener {
  return (request, response) => {
    request.resume();
    const [path = '/'] = (request.url ?? '/').split('?');
    const lifetime = { signal: new AbortController().signal };
    const invocation = {
      context: contextOf(request),
      protocol: protocolOf(request),
      path,
      size: 0,
      lifetime,
    };
    if (!RPC_PATH.test(path))
      return refuse(request, response, new ConnectError(`${path} is not a method`, Code.Unimplemented));
    void serve(new RpcCall(unknownMethod(path), invocation)).then((reply) =>
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

/** gRPC-Web and Connect clients understand an HTTP error; gRPC clients do not. */
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
