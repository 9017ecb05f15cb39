import { fromJson, toBinary, type JsonValue } from '@bufbuild/protobuf';
import type { Contract } from '@understudy/core/contract/contract';
import type { Answer } from '../drift/answer-comparison.ts';
import type { SentRequest } from '../drift/stage.ts';
import { errorInTrailers, RpcReader } from './rpc-reader.ts';
import { pathOf } from '@understudy/core/server/grpc/rpc';
import { SERVICES } from '@understudy/core/server/grpc/services';
import { frame } from '@understudy/core/server/grpc/wire';

const TYPE = 'application/grpc-web+proto';

/** Sends RPCs over gRPC-Web, which needs no HTTP/2 and answers with the trailers of gRPC. */
export class RpcClient {
  readonly #url: string;
  readonly #reader: RpcReader;
  readonly #methods = new Map(
    SERVICES.flatMap(({ methods }) => methods.map((method) => [pathOf(method), method] as const)),
  );

  constructor(url: string, contract: Contract) {
    this.#url = url;
    this.#reader = new RpcReader(contract);
  }

  /** The answer has the form that a recording has. */
  async send({ path, headers, messages = [] }: SentRequest): Promise<Answer> {
    const response = await fetch(`${this.#url}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': TYPE, accept: TYPE, 'x-grpc-web': '1' },
      body: new Uint8Array(frame(this.#bytesOf(path, messages[0] ?? {}))),
    });
    const body = Buffer.from(await response.arrayBuffer());
    const sent = { contentType: TYPE, encoding: '', body };
    const { messages: answered, trailers: last } = this.#reader.read(path, 'output', 'grpc-web', sent);
    const inHead = [...response.headers].filter(([name]) => name.startsWith('grpc-'));
    const trailers = { ...Object.fromEntries(inHead), ...last };
    const error = errorInTrailers(trailers);
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      messages: answered,
      trailers,
      ...(error && { json: error }),
    };
  }

  /** Nothing for an RPC that nobody describes. */
  #bytesOf(path: string, message: unknown): Uint8Array {
    const input = this.#methods.get(path)?.input;
    return input
      ? toBinary(input, fromJson(input, message as JsonValue, { ignoreUnknownFields: true }))
      : new Uint8Array();
  }
}
