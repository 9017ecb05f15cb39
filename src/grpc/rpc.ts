import type { IncomingHttpHeaders } from 'node:http';
import {
  fromJson,
  toJson,
  type DescMethod,
  type JsonObject,
  type JsonValue,
  type Message,
} from '@bufbuild/protobuf';
import type { Contract } from '../contract/contract.ts';
import { ApiError, invalidArgument, type FailureName } from '../errors.ts';
import type { Call, WrittenReply } from '../pipeline/call.ts';
import { identified } from './identities.ts';
import { RpcCall } from './rpc-call.ts';
import { errorOf } from './status.ts';
import { bindingsOf, transcode } from './transcode.ts';

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
  headers: IncomingHttpHeaders;
  /** Names and values, in turns. */
  rawHeaders: readonly string[];
}

export interface Pipeline {
  contract: Contract;
  serve: (call: Call) => Promise<WrittenReply>;
  /** As the pipeline has them: what is built for RPCs has a class of its own, of the same name. */
  rejection: (failure: FailureName, message: string) => ApiError;
  /** The id of the organization to which the caller gave that one. */
  organizationOf: (opening: Opening, externalId: string) => string | undefined;
}

/** How an RPC came. */
export interface Asked {
  opening: Opening;
  protocol: string;
  /** Of the RPC itself. */
  path: string;
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
    const { failure, message } =
      thrown instanceof ApiError ? thrown : invalidArgument(`${typeName}: ${reason(thrown)}`);
    return this.#refuse(this.#pipeline.rejection(failure, message), asked);
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
