import type { Message } from '@bufbuild/protobuf';
import {
  createContextKey,
  createContextValues,
  type ConnectRouter,
  type HandlerContext,
} from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { isBroken, sendBroken } from './breakage.ts';
import { RequestCarrier, StreamCarrier } from './carrier.ts';
import { withDeadline } from './deadline.ts';
import {
  detailed,
  type RpcListener,
  type RpcRequest,
  type RpcResponse,
  type RpcServer,
  type StreamTaker,
} from './details.ts';
import { metadataOf } from './metadata.ts';
import { isPlain } from './plain.ts';
import { pathOf, Rpc, type Heard, type Opening, type Pipeline } from './rpc.ts';
import { SERVICES } from './services.ts';
import { MESSAGE_LIMIT, serveUnary } from './unary.ts';
import { createFallback } from './unknown-method.ts';

export interface FacadeParts extends Pipeline {
  opening: (heard: Heard) => Opening;
}

/** One RPC, before its message is read. */
interface Opened {
  opening: Opening;
  response: RpcResponse;
}

const OPENED = createContextKey<Opened | undefined>(undefined);

/** Answers RPCs (gRPC, gRPC-Web and Connect): each becomes the HTTP call of its operation and goes through the pipeline. */
export function createFacade(parts: FacadeParts): RpcServer {
  const rpcs = rpcsOf(parts);
  const responses = new WeakMap<RpcRequest, RpcResponse>();
  const opening = (request: RpcRequest) => parts.opening(heardBy(request));
  const adapter = connectNodeAdapter({
    routes: (router) => addServices(router, rpcs),
    interceptors: [withDeadline],
    contextValues: (request) =>
      createContextValues().set(OPENED, { opening: opening(request), response: responses.get(request)! }),
    fallback: createFallback({ ...parts, opening }),
    readMaxBytes: MESSAGE_LIMIT,
  });
  const listener: RpcListener = (request, response) => {
    if (request.httpVersion === '1.0') return refuse(request, response);
    const rpc = isPlain(request.method, request.headers) ? rpcs.get(request.url ?? '') : undefined;
    if (rpc) return void serveUnary(rpc, opening(request), new RequestCarrier(request, response));
    responses.set(request, response);
    detailed(request, response);
    adapter(request, response);
  };
  const takeStream: StreamTaker = (stream, headers, rawHeaders, otherwise) => {
    const rpc = isPlain(headers[':method'], headers) ? rpcs.get(headers[':path'] ?? '') : undefined;
    const session = rpc && stream.session;
    if (!session) return otherwise();
    const heard = { connection: session, socket: session.socket, headers, rawHeaders };
    void serveUnary(rpc, parts.opening(heard), new StreamCarrier(stream, headers));
  };
  return { listener, takeStream };
}

/** The sockets that HTTP/2 gives its requests are made for each of them. */
const heardBy = (request: RpcRequest): Heard => ({
  connection: ('stream' in request && request.stream.session) || request.socket,
  socket: request.socket,
  headers: request.headers,
  rawHeaders: request.rawHeaders,
});

/** HTTP/1.0 has no trailers, and so no way to say how a call ended. */
function refuse(request: RpcRequest, response: RpcResponse): void {
  request.resume();
  response.statusCode = 505;
  response.end();
}

/** By the path of each. */
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

/** The adapter has nothing left to say: its stream is closed. */
const NEVER = new Promise<never>(() => {});

type Implementation = (message: Message, context: HandlerContext) => Promise<Message>;

const implement =
  (rpc: Rpc): Implementation =>
  async (message, context) => {
    const { opening, response } = context.values.get(OPENED)!;
    const { protocolName: protocol, url } = context;
    const path = new URL(url).pathname;
    const reply = await rpc.ask(message, { opening, protocol, path, leaving: context });
    if (context.signal.aborted) return NEVER; // its deadline has passed, or its caller has left
    if (isBroken(reply) && (await sendBroken(response, reply, context.signal))) return NEVER;
    for (const [name, value] of Object.entries(metadataOf(reply.headers)))
      context.responseHeader.set(name, String(value));
    return rpc.read(reply);
  };
