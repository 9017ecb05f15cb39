import type { ServerResponse } from 'node:http';
import { toBinary, type Message } from '@bufbuild/protobuf';
import {
  ConnectError,
  createContextKey,
  createContextValues,
  type ConnectRouter,
  type HandlerContext,
  type Interceptor,
} from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { ApiError } from '../../contract/errors.ts';
import { shortenErrors } from './short-errors.ts';
import { RequestCall, StreamCall } from './server-call.ts';
import {
  detailed,
  type RpcListener,
  type RpcRequest,
  type RpcResponse,
  type RpcServer,
  type StreamHandler,
  metadataOf,
} from './wire.ts';
import { createFallback, isBroken, MESSAGE_LIMIT, sendBroken, serveUnary } from './unary.ts';
import { isPlain } from '../request.ts';
import { SERVICES } from './services.ts';
import { addStandardServices } from './standard-services.ts';
import { pathOf, Rpc, type RpcHead, type RpcContext, type Pipeline } from './rpc.ts';

interface RpcServerParts extends Pipeline {
  contextOf: (head: RpcHead) => RpcContext;
  /** Aborts when the process is about to stop. */
  draining: AbortSignal;
}

/** What the library hands from an RPC's request to its implementation. */
interface PendingRpc {
  context: RpcContext;
  response: RpcResponse;
}

const PENDING = createContextKey<PendingRpc | undefined>(undefined);

/**
 * Answers RPCs (gRPC, gRPC-Web and Connect): each becomes the HTTP call of its operation and goes through the pipeline,
 * except those of the services that gRPC itself defines.
 * Unverified (grpc/other-framings): whether the service takes more than gRPC.
 */
export function createRpcServer(parts: RpcServerParts): RpcServer {
  const rpcs = rpcsOf(parts);
  const responses = new WeakMap<RpcRequest, RpcResponse>();
  const contextOf = (request: RpcRequest) => parts.contextOf(headOf(request));
  const adapter = connectNodeAdapter({
    routes: (router) => {
      addServices(router, rpcs);
      addStandardServices(router, parts.draining);
    },
    interceptors: [withDeadline],
    contextValues: (request) =>
      createContextValues().set(PENDING, { context: contextOf(request), response: responses.get(request)! }),
    fallback: createFallback({ ...parts, contextOf }),
    readMaxBytes: MESSAGE_LIMIT,
    compressMinBytes: Infinity, // `shortenErrors` reads what is written
  });
  const listener: RpcListener = (request, response) => {
    if (request.httpVersion === '1.0') return refuse(request, response);
    const rpc = isPlain(request.method, request.headers) ? rpcs.get(request.url ?? '') : undefined;
    if (rpc) return void serveUnary(rpc, contextOf(request), new RequestCall(request, response));
    if (isWebText(request)) return refuseWebText(request, response);
    responses.set(request, response);
    detailed(request, response);
    shortenErrors(response);
    adapter(request, response);
  };
  const handleStream: StreamHandler = (stream, headers, rawHeaders, otherwise) => {
    const rpc = isPlain(headers[':method'], headers) ? rpcs.get(headers[':path'] ?? '') : undefined;
    const session = rpc && stream.session;
    if (!session) return otherwise();
    const head = { connection: session, socket: session.socket, headers, rawHeaders };
    void serveUnary(rpc, parts.contextOf(head), new StreamCall(stream, headers));
  };
  return { listener, handleStream };
}

/** Over HTTP/2 Node makes a new socket object for each request, so the session identifies the connection. */
const headOf = (request: RpcRequest): RpcHead => ({
  connection: ('stream' in request && request.stream.session) || request.socket,
  socket: request.socket,
  baseUrl: 'baseUrl' in request ? String(request.baseUrl) : undefined,
  headers: request.headers,
  rawHeaders: request.rawHeaders,
});

/** gRPC reports the result of a call in trailers, which HTTP/1.0 does not have. */
function refuse(request: RpcRequest, response: RpcResponse): void {
  request.resume();
  response.statusCode = 505;
  response.end();
}

const isWebText = ({ headers }: RpcRequest) =>
  headers['content-type']?.startsWith('application/grpc-web-text') === true;

/** gRPC-Web in base64, which the library does not read. */
function refuseWebText(request: RpcRequest, response: RpcResponse): void {
  request.resume();
  const message =
    'application/grpc-web-text is not supported: send application/grpc-web+proto (mode=grpcweb of protoc-gen-grpc-web)';
  const body = new ApiError('unimplemented', message).envelope();
  const trailers = { 'grpc-status': '12', 'grpc-message': encodeURIComponent(message) };
  (response as ServerResponse)
    .writeHead(415, { 'content-type': 'application/json', ...trailers })
    .end(JSON.stringify(body));
}

/** All RPCs by path. */
const rpcsOf = (pipeline: Pipeline): ReadonlyMap<string, Rpc> =>
  new Map(
    SERVICES.flatMap(({ methods }) =>
      methods.map((method) => [pathOf(method), new Rpc(method, pipeline)] as const),
    ),
  );

function addServices(router: ConnectRouter, rpcs: ReadonlyMap<string, Rpc>): void {
  for (const service of SERVICES) {
    const methods = service.methods.map((method) => [method.localName, implement(rpcs.get(pathOf(method))!)]);
    router.service(service, Object.fromEntries(methods));
  }
}

/** Never settles, so that the adapter sends no answer on a closed stream. */
const NEVER = new Promise<never>(() => {});

type Implementation = (message: Message, context: HandlerContext) => Promise<Message>;

const implement =
  (rpc: Rpc): Implementation =>
  async (message, handling) => {
    const { context, response } = handling.values.get(PENDING)!;
    const { protocolName: protocol, url } = handling;
    const path = new URL(url).pathname;
    const size = toBinary(rpc.method.input, message).length;
    const reply = await rpc.ask(message, { context, protocol, path, size, lifetime: handling });
    if (handling.signal.aborted) return NEVER; // the deadline has passed or the caller has disconnected
    if (isBroken(reply) && (await sendBroken(response, reply, handling.signal))) return NEVER;
    for (const [name, value] of Object.entries(metadataOf(reply.headers)))
      handling.responseHeader.set(name, String(value));
    return rpc.read(reply);
  };

/** Answers DEADLINE_EXCEEDED when the deadline passes, even while the call is still waiting. */
const withDeadline: Interceptor = (next) => (request) => {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    const fail = () => reject(ConnectError.from(signal.reason));
    if (signal.aborted) return fail();
    signal.addEventListener('abort', fail, { once: true });
    // Every signal aborts in the end. After the answer, that means nothing.
    const done = () => signal.removeEventListener('abort', fail);
    next(request).finally(done).then(resolve, reject);
  });
};
