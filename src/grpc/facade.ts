import { fromJson, type DescMethod, type JsonValue, type Message } from '@bufbuild/protobuf';
import {
  createContextKey,
  createContextValues,
  type ConnectRouter,
  type HandlerContext,
} from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import type { Contract } from '../contract/contract.ts';
import type { Call, WrittenReply } from '../pipeline/call.ts';
import { withDeadline } from './deadline.ts';
import { detailed, fallback, type RpcListener, type RpcRequest } from './details.ts';
import { SERVICES } from './services.ts';
import { errorOf } from './status.ts';
import { bindingsOf, transcode } from './transcode.ts';

/** What is known of an RPC before it is read: its caller, its address. */
export type Opening = Pick<Call, 'headers' | 'baseUrl' | 'host'>;

export interface FacadeParts {
  contract: Contract;
  /** The pipeline. */
  serve: (call: Call) => Promise<WrittenReply>;
  opening: (request: RpcRequest) => Opening;
}

const OPENING = createContextKey<Opening | undefined>(undefined);

/** Answers RPCs (gRPC, gRPC-Web and Connect): each becomes the HTTP call of its operation and goes through the pipeline. */
export function createFacade(parts: FacadeParts): RpcListener {
  const adapter = connectNodeAdapter({
    routes: (router) => addServices(router, parts),
    interceptors: [withDeadline],
    contextValues: (request) => createContextValues().set(OPENING, parts.opening(request)),
    fallback,
  });
  return (request, response) => {
    detailed(request, response);
    adapter(request, response);
  };
}

function addServices(router: ConnectRouter, parts: FacadeParts): void {
  for (const service of SERVICES) {
    const methods = service.methods.map((method) => [method.localName, implement(method, parts)]);
    router.service(service, Object.fromEntries(methods));
  }
}

type Implementation = (message: Message, context: HandlerContext) => Promise<Message>;

function implement(method: DescMethod, { contract, serve }: FacadeParts): Implementation {
  const bindings = bindingsOf(method, contract);
  return async (message, context) => {
    const opening = context.values.get(OPENING)!;
    const transcoded = bindings && transcode(bindings, method, message);
    const reply = await serve(callOf(context, opening, transcoded));
    for (const [name, value] of Object.entries(reply.headers)) context.responseHeader.set(name, value);
    if (reply.status >= 400) throw errorOf(reply.status, reply.body);
    return fromJson(method.output, (reply.body ?? {}) as JsonValue, { ignoreUnknownFields: true });
  };
}

type Transcoded = ReturnType<typeof transcode>;

/** Without a binding, the path of the RPC itself: the contract has no such operation, and says so. */
function callOf({ url, protocolName }: HandlerContext, opening: Opening, transcoded?: Transcoded): Call {
  const { route, method = 'POST', path = new URL(url).pathname, query = {}, body } = transcoded ?? {};
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
  return {
    ...opening,
    headers: { ...opening.headers, 'content-type': bytes && 'application/json' },
    protocol: protocolName,
    method,
    path,
    url: path + search,
    query,
    body: bytes,
    size: bytes?.length ?? 0,
    ...(route && { route }),
  };
}
