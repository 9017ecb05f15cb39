import {
  fromJson,
  toJson,
  type DescMethod,
  type JsonObject,
  type JsonValue,
  type Message,
} from '@bufbuild/protobuf';
import {
  createContextKey,
  createContextValues,
  type ConnectRouter,
  type HandlerContext,
} from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import type { Contract } from '../contract/contract.ts';
import { ApiError } from '../errors.ts';
import type { Call, WrittenReply } from '../pipeline/call.ts';
import { sendBroken } from './breakage.ts';
import { withDeadline } from './deadline.ts';
import { detailed, fallback, type RpcListener, type RpcRequest, type RpcResponse } from './details.ts';
import { identified } from './identities.ts';
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
  /** The id of the organization to which the caller gave that one. */
  organizationOf: (opening: Opening, externalId: string) => string | undefined;
}

/** One RPC, before its message is read. */
interface Opened {
  opening: Opening;
  response: RpcResponse;
}

const OPENED = createContextKey<Opened | undefined>(undefined);

/** Answers RPCs (gRPC, gRPC-Web and Connect): each becomes the HTTP call of its operation and goes through the pipeline. */
export function createFacade(parts: FacadeParts): RpcListener {
  const responses = new WeakMap<RpcRequest, RpcResponse>();
  const adapter = connectNodeAdapter({
    routes: (router) => addServices(router, parts),
    interceptors: [withDeadline],
    contextValues: (request) =>
      createContextValues().set(OPENED, {
        opening: parts.opening(request),
        response: responses.get(request)!,
      }),
    fallback,
  });
  return (request, response) => {
    responses.set(request, response);
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

/** The adapter has nothing left to say: its stream is closed. */
const NEVER = new Promise<never>(() => {});

type Implementation = (message: Message, context: HandlerContext) => Promise<Message>;

function implement(method: DescMethod, parts: FacadeParts): Implementation {
  const { contract, serve, organizationOf } = parts;
  const bindings = bindingsOf(method, contract);
  const fieldsOf = (message: Message, opening: Opening) => {
    const fields = toJson(method.input, message, { useProtoFieldName: true }) as JsonObject;
    return identified(fields, method, bindings, (externalId) => organizationOf(opening, externalId));
  };
  return async (message, context) => {
    const { opening, response } = context.values.get(OPENED)!;
    const transcoded = bindings.length === 0 ? undefined : transcode(bindings, fieldsOf(message, opening));
    const reply = await serve(callOf(context, opening, transcoded));
    if (context.signal.aborted) return NEVER; // its deadline has passed, or its caller has left
    if (reply.breakage && (await sendBroken(response, reply.breakage, context.signal))) return NEVER;
    for (const [name, value] of Object.entries(reply.headers)) context.responseHeader.set(name, value);
    if (reply.status >= 400) throw errorOf(reply.status, reply.body);
    return messageOf(method, reply.body);
  };
}

/** An answer that a scenario made up may be one that no message holds. */
function messageOf({ name, output }: DescMethod, body: unknown): Message {
  try {
    return fromJson(output, (body ?? {}) as JsonValue, { ignoreUnknownFields: true });
  } catch (thrown) {
    const error = new ApiError('contract_violation', `${name}: ${(thrown as Error).message}`);
    throw errorOf(error.status, error.body('envelope'));
  }
}

type Transcoded = ReturnType<typeof transcode>;

/** Without a binding, the path of the RPC itself: the contract has no such operation, and says so. */
function callOf(
  { url, protocolName, signal }: HandlerContext,
  opening: Opening,
  transcoded?: Transcoded,
): Call {
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
    signal,
    method,
    path,
    url: path + search,
    query,
    body: bytes,
    size: bytes?.length ?? 0,
    ...(route && { route }),
  };
}
