import type { IncomingHttpHeaders } from 'node:http';
import {
  fromJson,
  toJson,
  type DescMethod,
  type JsonObject,
  type JsonValue,
  type Message,
} from '@bufbuild/protobuf';
import type { Contract } from '../../contract/contract.ts';
import type { Route } from '../../contract/router.ts';
import type { UnknownField } from '../../contract/types.ts';
import { ApiError, invalidArgument } from '../../contract/errors.ts';
import type { Call, WrittenReply } from '../../pipeline/call.ts';
import { nextTurn } from '../../scenarios/steps.ts';
import { errorOf } from './status.ts';
import { bindingsOf, transcode, type Binding } from './transcode.ts';
import { unknownFields } from './unknown-fields.ts';

/** What an RPC's headers say: who calls, and under which address. */
export interface RpcContext extends Pick<Call, 'headers' | 'baseUrl' | 'host' | 'address'> {
  /** The headers of an HTTP call that has a body. */
  headersWithBody: Call['headers'];
}

/** The head of an RPC: everything that arrives before its message. */
export interface RpcHead {
  /** The same object for all calls of one connection. */
  connection: object;
  socket: object;
  /** The path at which the app is mounted. */
  baseUrl?: string | undefined;
  headers: IncomingHttpHeaders;
  /** Names and values alternate. */
  rawHeaders: readonly string[];
}

type OrganizationId = string | undefined;

export interface Pipeline {
  contract: Contract;
  serve: (call: Call) => Promise<WrittenReply>;
  /** The id of the organization with this external id. */
  organizationOf: (context: RpcContext, externalId: string) => OrganizationId | Promise<OrganizationId>;
}

/** The protocol, path, size and caller of one RPC, apart from its message. */
export interface RpcInvocation {
  context: RpcContext;
  protocol: string;
  /** The path of the RPC, not of its HTTP call. */
  path: string;
  /** Bytes of the message. */
  size: number;
  /** `signal` aborts when the caller disconnects. It is made when it is first read. */
  lifetime: { readonly signal: AbortSignal };
}

/** Bytes of a message from which on reading it, turning it into JSON and checking that are turns of their own. */
export const LARGE = 20_000;

/** Lets other calls run before the next step of a large message. */
const afterOthers = <T>({ size }: RpcInvocation, step: () => Promise<T>): Promise<T> =>
  size < LARGE ? step() : nextTurn().then(step);

/** A method of a service and the HTTP calls that it is turned into. */
export class Rpc {
  readonly method: DescMethod;
  readonly path: string;
  readonly #pipeline: Pipeline;
  readonly #bindings: ReturnType<typeof bindingsOf>;

  constructor(method: DescMethod, pipeline: Pipeline) {
    this.method = method;
    this.path = pathOf(method);
    this.#pipeline = pipeline;
    this.#bindings = bindingsOf(method, pipeline.contract);
  }

  /** Sends the RPC through the pipeline. The reply may be an error, or one that a scenario wants broken in transit. */
  ask(message: Message, invocation: RpcInvocation): Promise<WrittenReply> {
    if (this.#bindings.length === 0) return this.#refuse(undefined, invocation);
    return afterOthers(invocation, () => this.#ask(message, invocation));
  }

  #ask(message: Message, invocation: RpcInvocation): Promise<WrittenReply> {
    let written: JsonObject;
    try {
      written = this.#fields(message);
    } catch (thrown) {
      return this.refuse(thrown, invocation);
    }
    const unknown = unknownFields(message, this.method.input);
    const external = externalIdIn(written, this.method, this.#bindings);
    if (external === undefined) return this.#serve(written, unknown, invocation);
    const found = this.#pipeline.organizationOf(invocation.context, external.id);
    const replaced = (id: OrganizationId) => withOwnId(written, external, id);
    return found instanceof Promise
      ? found.then(
          (id) => this.#serve(replaced(id), unknown, invocation),
          (thrown: unknown) => this.refuse(thrown, invocation),
        )
      : this.#serve(replaced(found), unknown, invocation);
  }

  #serve(
    fields: JsonObject,
    unknown: readonly UnknownField[],
    invocation: RpcInvocation,
  ): Promise<WrittenReply> {
    return afterOthers(invocation, () =>
      this.#pipeline.serve(new RpcCall(transcode(this.#bindings, fields), invocation, unknown)),
    );
  }

  /** Sends a call with an unreadable message through the pipeline, which authenticates it first and journals it. */
  refuse(thrown: unknown, invocation: RpcInvocation): Promise<WrittenReply> {
    const { typeName } = this.method.input;
    const error = thrown instanceof ApiError ? thrown : invalidArgument(`${typeName}: ${reason(thrown)}`);
    return this.#refuse(error, invocation);
  }

  /** A method without a binding keeps its own path, so that the pipeline answers that there is no such operation. */
  #refuse(bodyError: ApiError | undefined, invocation: RpcInvocation): Promise<WrittenReply> {
    const transcoded =
      this.#bindings.length > 0 ? transcode(this.#bindings, {}) : unknownMethod(invocation.path);
    return this.#pipeline.serve(new RpcCall({ ...transcoded, bodyError }, invocation));
  }

  /** The message of a reply. Throws ConnectError for an error reply and for a body that does not fit the message. */
  read({ status, body }: WrittenReply): Message {
    if (status >= 400) throw errorOf(status, body);
    try {
      return fromJson(this.method.output, (body ?? {}) as JsonValue, { ignoreUnknownFields: true });
    } catch (thrown) {
      // Only a scenario can send a body that does not fit.
      const error = new ApiError('contract_violation', `${this.method.name}: ${(thrown as Error).message}`);
      throw errorOf(error.status, error.envelope());
    }
  }

  /** Unverified (grpc/empty-fields): an empty field without presence looks like a missing one, and is left out. */
  #fields(message: Message): JsonObject {
    return toJson(this.method.input, message, { useProtoFieldName: true }) as JsonObject;
  }
}

export const pathOf = ({ parent, name }: DescMethod) => `/${parent.typeName}/${name}`;

const reason = (thrown: unknown) =>
  (thrown as Error).message.replace(/^cannot encode message (\S+) to JSON/, '$1');

/** The call of a method that no operation has. gRPC calls it unimplemented; HTTP has no such path. */
export const unknownMethod = (path: string) => ({
  method: 'POST',
  path,
  query: {},
  isUnknownRpc: true,
});

/** The HTTP call that an RPC is turned into. */
interface Transcoded extends Pick<Call, 'method' | 'path' | 'query' | 'isUnknownRpc'> {
  route?: Route;
  body?: JsonValue | undefined;
  /** Why the message cannot be read. */
  bodyError?: ApiError | undefined;
}

/** An RPC in the form that the pipeline takes. It is a class because object literals with getters are slow to create. */
export class RpcCall implements Call {
  readonly route: Route | undefined;
  readonly isUnknownRpc: boolean;
  readonly protocol: string;
  readonly method: string;
  readonly path: string;
  readonly url: string;
  readonly query: Call['query'];
  readonly headers: Call['headers'];
  readonly body: undefined;
  readonly message: JsonValue | undefined;
  readonly size: number;
  readonly bodyError: ApiError | undefined;
  readonly unknown: readonly UnknownField[] | undefined;
  readonly baseUrl: string;
  readonly host: string;
  readonly address: string | undefined;
  readonly #lifetime: RpcInvocation['lifetime'];

  constructor(
    transcoded: Transcoded,
    { context, protocol, size, lifetime }: RpcInvocation,
    unknown?: readonly UnknownField[],
  ) {
    const { route, isUnknownRpc = false, method, path, query, body, bodyError } = transcoded;
    this.route = route;
    this.isUnknownRpc = isUnknownRpc;
    this.protocol = protocol;
    this.method = method;
    this.path = path;
    this.url = path + searchOf(query);
    this.query = query;
    this.headers = body !== undefined ? context.headersWithBody : context.headers;
    this.message = body;
    this.size = body === undefined ? 0 : size;
    this.bodyError = bodyError;
    this.unknown = unknown;
    this.baseUrl = context.baseUrl;
    this.host = context.host;
    this.address = context.address;
    this.#lifetime = lifetime;
  }

  get signal(): AbortSignal {
    return this.#lifetime.signal;
  }
}

function searchOf(query: Call['query']): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

interface ExternalId {
  id: string;
  /** The field for the organization's own id. */
  own: string;
}

/** Some RPCs accept an organization's external id although their HTTP calls do not. */
function externalIdIn(
  { external_id: id }: JsonObject,
  { input }: DescMethod,
  bindings: readonly Binding[],
): ExternalId | undefined {
  if (typeof id !== 'string') return undefined;
  const oneof = input.oneofs.find(({ name }) => name === 'identities');
  if (!oneof) return undefined;
  if (bindings.some(({ variables }) => variables.includes('external_id'))) return undefined;
  return { id, own: oneof.fields.find(({ name }) => name !== 'external_id')!.name };
}

/** Replaces the external id. If it is unknown it stays, so the call answers "not found". */
function withOwnId(
  { external_id: _, ...others }: JsonObject,
  { id: external, own }: ExternalId,
  id: OrganizationId,
): JsonObject {
  return { ...others, [own]: id ?? external };
}
