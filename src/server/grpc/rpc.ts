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
import { ApiError, invalidArgument } from '../../errors.ts';
import type { Call, WrittenReply } from '../../pipeline/call.ts';
import { errorOf } from './status.ts';
import { bindingsOf, transcode, type Binding } from './transcode.ts';

/** What is known of an RPC before it is read: its caller, its address. */
export interface Opening extends Pick<Call, 'headers' | 'baseUrl' | 'host'> {
  /** Where its HTTP call has a body. */
  headersOfBody: Call['headers'];
}

/** What is heard of an RPC before its message. */
export interface Heard {
  /** Carries one call after the other. */
  connection: object;
  socket: object;
  /** The path at which the app is mounted. */
  baseUrl?: string | undefined;
  headers: IncomingHttpHeaders;
  /** Names and values, in turns. */
  rawHeaders: readonly string[];
}

export interface Pipeline {
  contract: Contract;
  serve: (call: Call) => Promise<WrittenReply>;
  /** The id of the organization to which the caller gave that one. */
  organizationOf: (opening: Opening, externalId: string) => string | undefined;
}

/** How an RPC came. */
export interface Asked {
  opening: Opening;
  protocol: string;
  /** Of the RPC itself. */
  path: string;
  /** Of its message, in bytes. */
  size: number;
  /** Aborts when the caller leaves; read when somebody waits. */
  leaving: { readonly signal: AbortSignal };
}

/** A method of a service, as the HTTP calls of its operation. */
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

  /** Through the pipeline. The answer may be a failure, or one that is to break on its way. */
  ask(message: Message, asked: Asked): Promise<WrittenReply> {
    if (this.#bindings.length === 0) return this.#refuse(undefined, asked);
    let written: JsonObject;
    try {
      written = this.#fields(message);
    } catch (thrown) {
      return this.refuse(thrown, asked);
    }
    const fields = identified(written, this.method, this.#bindings, (externalId) =>
      this.#pipeline.organizationOf(asked.opening, externalId),
    );
    return this.#pipeline.serve(new RpcCall(transcode(this.#bindings, fields), asked));
  }

  /** A call whose message can't be read goes through the pipeline too: it may not be allowed at all, and the journal has it. */
  refuse(thrown: unknown, asked: Asked): Promise<WrittenReply> {
    const { typeName } = this.method.input;
    const error = thrown instanceof ApiError ? thrown : invalidArgument(`${typeName}: ${reason(thrown)}`);
    return this.#refuse(error, asked);
  }

  /** Without a binding, the path of the RPC itself: the contract has no such operation, and says so. */
  #refuse(bodyError: ApiError | undefined, asked: Asked): Promise<WrittenReply> {
    const transcoded =
      this.#bindings.length > 0
        ? transcode(this.#bindings, {})
        : { method: 'POST', path: asked.path, query: {} };
    return this.#pipeline.serve(new RpcCall({ ...transcoded, bodyError }, asked));
  }

  /** The message of an answer. Throws ConnectError for a failure, and for what no message holds. */
  read({ status, body }: WrittenReply): Message {
    if (status >= 400) throw errorOf(status, body);
    try {
      return fromJson(this.method.output, (body ?? {}) as JsonValue, { ignoreUnknownFields: true });
    } catch (thrown) {
      // A scenario may make up anything.
      const error = new ApiError('contract_violation', `${this.method.name}: ${(thrown as Error).message}`);
      throw errorOf(error.status, error.body('envelope'));
    }
  }

  #fields(message: Message): JsonObject {
    return toJson(this.method.input, message, { useProtoFieldName: true }) as JsonObject;
  }
}

export const pathOf = ({ parent, name }: DescMethod) => `/${parent.typeName}/${name}`;

const reason = (thrown: unknown) =>
  (thrown as Error).message.replace(/^cannot encode message (\S+) to JSON/, '$1');

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
  readonly body: undefined;
  readonly message: JsonValue | undefined;
  readonly size: number;
  readonly bodyError: ApiError | undefined;
  readonly baseUrl: string;
  readonly host: string;
  readonly #leaving: Asked['leaving'];

  constructor(transcoded: Transcoded, { opening, protocol, size, leaving }: Asked) {
    const { route, method, path, query, body, bodyError } = transcoded;
    this.route = route;
    this.protocol = protocol;
    this.method = method;
    this.path = path;
    this.url = path + searchOf(query);
    this.query = query;
    this.headers = body !== undefined ? opening.headersOfBody : opening.headers;
    this.message = body;
    this.size = body === undefined ? 0 : size;
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

/**
 * Some RPCs take an organization by the id that the caller gave it, which their HTTP calls do not: there its own id is
 * put in the other one's place. One that nobody has stays, and is not found.
 */
export function identified(
  fields: JsonObject,
  { input }: DescMethod,
  bindings: readonly Binding[],
  organizationOf: (externalId: string) => string | undefined,
): JsonObject {
  const { external_id: external } = fields;
  if (typeof external !== 'string') return fields;
  const oneof = input.oneofs.find(({ name }) => name === 'identities');
  if (!oneof) return fields;
  if (bindings.some(({ variables }) => variables.includes('external_id'))) return fields;
  const own = oneof.fields.find(({ name }) => name !== 'external_id')!.name;
  const { external_id: _, ...others } = fields;
  return { ...others, [own]: organizationOf(external) ?? external };
}
