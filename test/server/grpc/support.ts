import {
  create,
  fromJson,
  type DescMessage,
  type DescMethod,
  type JsonObject,
  type JsonValue,
  type Message,
} from '@bufbuild/protobuf';
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { ErrorInfoSchema } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/errdetails/errdetails_pb.js';
import { onTestFinished } from 'vitest';
import { readContract } from '../../../src/contract/documents.ts';
import { Contract } from '../../../src/contract/contract.ts';
import { bindingsOf } from '../../../src/server/grpc/transcode.ts';
import { SERVICES } from '../../../src/server/grpc/services.ts';
import { listen } from '../../../src/server/port/listener.ts';
import type { Understudy } from '../../../src/simulator.ts';

const contract = new Contract(readContract('openapi'));

/** Every RPC by the id of its operation. */
export const METHODS: ReadonlyMap<string, DescMethod> = new Map(
  SERVICES.flatMap((service) => service.methods.map((method) => [`${service.name}_${method.name}`, method])),
);

/** Starts the simulator on a real port. */
export async function openFor(understudy: Understudy): Promise<string> {
  const listener = await listen(understudy, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => listener.stop(0));
  return listener.url;
}

export const grpcTo = (url: string): Transport => createGrpcTransport({ baseUrl: url });

/** The response message, or the error of the call. */
export async function callRpc(
  transport: Transport,
  method: DescMethod,
  message: Message,
  headers: Record<string, string> = {},
): Promise<Message | ConnectError> {
  try {
    const unary = method as DescMethod & { methodKind: 'unary' };
    const answer = await transport.unary(unary, undefined, undefined, headers, message as never);
    return answer.message;
  } catch (thrown) {
    return ConnectError.from(thrown);
  }
}

/** An error in the form that `toldOf` makes of a REST error. */
export const told = (error: ConnectError) => ({
  code: error.code,
  message: error.rawMessage,
  infos: error.findDetails(ErrorInfoSchema),
});

export const toldOf = (body: { code: number; message: string; details: JsonObject[] }) => ({
  code: body.code as Code,
  message: body.message,
  infos: body.details.map(({ '@type': _, ...info }) => fromJson(ErrorInfoSchema, info)),
});

export interface RestCall {
  params: Record<string, string>;
  query: string;
  body: unknown;
}

/** Builds the message of an RPC from the HTTP call of its first binding. */
export function messageOf(method: DescMethod, { params, query, body }: RestCall): Message {
  const [binding] = bindingsOf(method, contract);
  const fields: JsonObject = { ...nested(method.input, new URLSearchParams(query)), ...params };
  if (binding!.body === '*') Object.assign(fields, body);
  else if (binding!.body !== '' && body !== undefined) fields[binding!.body] = body as JsonValue;
  return create(method.input, fromJson(method.input, fields, { ignoreUnknownFields: true }) as never);
}

function nested(input: DescMessage, pairs: URLSearchParams): JsonObject {
  const fields: JsonObject = {};
  for (const [name, value] of pairs) {
    const [outer, inner] = name.split('.') as [string, string?];
    const field = input.fields.find((each) => each.name === outer);
    const isList = inner
      ? field?.message?.fields.find((each) => each.name === inner)?.fieldKind === 'list'
      : field?.fieldKind === 'list';
    const holder = inner ? ((fields[outer] ??= {}) as JsonObject) : fields;
    const key = inner ?? outer;
    holder[key] = isList ? [...((holder[key] as string[]) ?? []), value] : value;
  }
  return fields;
}
