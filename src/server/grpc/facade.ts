import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFileRegistry, fromBinary, toBinary, type DescService, type Message } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import {
  ConnectError,
  createContextKey,
  createContextValues,
  type ConnectRouter,
  type HandlerContext,
  type Interceptor,
} from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { AuditLogsService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/auditlogs/auditlogs_pb.js';
import { AuthService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/auth/auth_pb.js';
import { PasswordlessService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/auth/passwordless_pb.js';
import { WebAuthnService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/auth/webauthn_pb.js';
import { ClientService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/clients/clients_pb.js';
import { ConnectedAccountService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/connected_accounts/connected_accounts_pb.js';
import { ConnectionService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/connections/connections_pb.js';
import { DirectoryService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/directories/directories_pb.js';
import { DomainService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/domains/domains_pb.js';
import { EventsService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/events/events_pb.js';
import { OrganizationService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/organizations/organizations_pb.js';
import { RolesService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/roles/roles_pb.js';
import { SessionService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/sessions/sessions_pb.js';
import { ApiTokenService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/tokens/tokens_pb.js';
import { ToolService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/tools/tools_pb.js';
import { UserService } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/users/users_pb.js';
import { PACKAGE_ROOT } from '../../package-root.ts';
import { isBroken, sendBroken } from './breakage.ts';
import { RequestCarrier, StreamCarrier } from './carrier.ts';
import {
  detailed,
  type RpcListener,
  type RpcRequest,
  type RpcResponse,
  type RpcServer,
  type StreamTaker,
} from './details.ts';
import { metadataOf } from './frame.ts';
import { isPlain } from './plain.ts';
import { pathOf, Rpc, type Heard, type Opening, type Pipeline } from './rpc.ts';
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
  baseUrl: 'baseUrl' in request ? String(request.baseUrl) : undefined,
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
    const size = toBinary(rpc.method.input, message).length;
    const reply = await rpc.ask(message, { opening, protocol, path, size, leaving: context });
    if (context.signal.aborted) return NEVER; // its deadline has passed, or its caller has left
    if (isBroken(reply) && (await sendBroken(response, reply, context.signal))) return NEVER;
    for (const [name, value] of Object.entries(metadataOf(reply.headers)))
      context.responseHeader.set(name, String(value));
    return rpc.read(reply);
  };

/** A caller whose deadline has passed is told so, also while its call still waits. */
export const withDeadline: Interceptor = (next) => (request) => {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    const give = () => reject(ConnectError.from(signal.reason));
    if (signal.aborted) return give();
    signal.addEventListener('abort', give, { once: true });
    // Every signal aborts in the end: one that comes after the answer is no news.
    const done = () => signal.removeEventListener('abort', give);
    next(request).finally(done).then(resolve, reject);
  });
};

const OF_THE_SDK: readonly DescService[] = [
  AuditLogsService,
  AuthService,
  PasswordlessService,
  WebAuthnService,
  ClientService,
  ConnectedAccountService,
  ConnectionService,
  DirectoryService,
  DomainService,
  EventsService,
  OrganizationService,
  RolesService,
  SessionService,
  ApiTokenService,
  ToolService,
  UserService,
];

/** Those that the SDK for Node does not have, and others do: openapi/proto, as the build has read it. */
function ofOurOwn(): DescService[] {
  const bytes = readFileSync(join(PACKAGE_ROOT, 'dist', 'rpc.binpb'));
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, bytes));
  return [...registry].filter((each) => each.kind === 'service');
}

/** The services as the official SDK describes them, so that what goes over the wire is its own, and ours. */
export const SERVICES: readonly DescService[] = [...OF_THE_SDK, ...ofOurOwn()];
