import {
  fromBinary,
  fromJson,
  toJson,
  type DescMessage,
  type JsonObject,
  type JsonValue,
} from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { Code } from '@connectrpc/connect';
import { ErrorInfoSchema } from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/errdetails/errdetails_pb.js';
import type { Contract } from '@understudy/core/contract/contract';
import { isObject } from '@understudy/text/json';
import { END_OF_STREAM, readFrames, TRAILERS, type Frame } from './frames.ts';
import { readPlain } from './plain-fields.ts';
import { pathOf } from '@understudy/core/server/grpc/rpc';
import { SERVICES } from '@understudy/core/server/grpc/services';
import { bindingsOf, transcode } from '@understudy/core/server/grpc/transcode';
import { unknownFields } from '@understudy/core/server/grpc/unknown-fields';
import { percentDecoded } from '@understudy/text/addresses';

export type Framing = 'grpc' | 'grpc-web' | 'connect';

/** What one side of an RPC has sent. */
interface RpcSide {
  contentType: string;
  /** Of its messages. */
  encoding: string;
  /** Whole and, for a Connect call without frames, decompressed. */
  body: Buffer;
}

interface ReadSide {
  messages: unknown[];
  /** Fields that our descriptors lack. */
  unknown?: string[];
  /** Those that gRPC-Web and Connect send in the body. */
  trailers?: Record<string, string>;
}

/** The most bytes that a message has when it is decompressed. */
const LIMIT = 4_000_000;

/** Reads the messages of RPCs, also of those that nobody describes. */
export class RpcReader {
  readonly #methods;
  readonly #contract: Contract;

  constructor(contract: Contract) {
    this.#contract = contract;
    this.#methods = new Map(
      SERVICES.flatMap(({ methods }) => methods.map((method) => [pathOf(method), method] as const)),
    );
  }

  /** The operation that our contract has for the RPC. */
  operationOf(path: string, [message]: readonly unknown[]): string | undefined {
    const method = this.#methods.get(path);
    const bindings = method ? bindingsOf(method, this.#contract) : [];
    if (bindings.length === 0) return undefined;
    const fields = isObject(message) ? (message as JsonObject) : {};
    return transcode(bindings, fields).route.operation.id;
  }

  /** Throws for what is no message of the RPC. */
  read(path: string, side: 'input' | 'output', framing: Framing, sent: RpcSide): ReadSide {
    const type = this.#methods.get(path)?.[side];
    const isJson = /[+/]json\b/.test(sent.contentType);
    const frames = framesOf(framing, sent);
    const isTrailer = ({ flags }: Frame) =>
      framing === 'grpc-web'
        ? (flags & TRAILERS) !== 0
        : framing === 'connect' && (flags & END_OF_STREAM) !== 0;
    const read = frames.filter((each) => !isTrailer(each)).map(({ bytes }) => messageOf(bytes, type, isJson));
    const unknown = [...new Set(read.flatMap((each) => each.unknown))];
    const last = framing === 'grpc-web' ? frames.find(isTrailer) : undefined;
    return {
      messages: read.map(({ json }) => json),
      ...(unknown.length > 0 && { unknown }),
      ...(last && { trailers: trailersIn(last.bytes.toString()) }),
    };
  }
}

function framesOf(framing: Framing, { contentType, encoding, body }: RpcSide): Frame[] {
  if (framing === 'connect' && !contentType.startsWith('application/connect+'))
    return [{ flags: 0, bytes: body }];
  const isText = contentType.startsWith('application/grpc-web-text');
  return readFrames(isText ? Buffer.from(body.toString(), 'base64') : body, encoding, LIMIT);
}

function messageOf(bytes: Buffer, type: DescMessage | undefined, isJson: boolean) {
  if (!type)
    return {
      json: isJson ? (JSON.parse(bytes.toString() || '{}') as unknown) : readPlain(bytes),
      unknown: [],
    };
  const message = isJson
    ? fromJson(type, JSON.parse(bytes.toString() || '{}') as JsonValue, { ignoreUnknownFields: true })
    : fromBinary(type, bytes);
  return {
    json: toJson(type, message, { useProtoFieldName: true }),
    unknown: unknownFields(message, type).map(({ field }) => field),
  };
}

function trailersIn(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.includes(':'));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
}

/** An error as REST writes it: the code as a number, and details that can be read. */
interface RpcError {
  code: number;
  message: string;
  details: object[];
}

/** The error in trailers; undefined if they tell of none. */
export function errorInTrailers(trailers: Record<string, string>): RpcError | undefined {
  const code = Number(trailers['grpc-status'] ?? 0);
  if (code === 0) return undefined;
  const written = trailers['grpc-message'] ?? '';
  const message = percentDecoded(written) ?? written;
  const details = trailers['grpc-status-details-bin'];
  return { code, message, details: details === undefined ? [] : detailsOf(Buffer.from(details, 'base64')) };
}

/** The details of a google.rpc.Status. Those of other types than ErrorInfo are only named. */
function detailsOf(status: Uint8Array): object[] {
  const details: object[] = [];
  try {
    const reader = new BinaryReader(status);
    while (reader.pos < reader.len) {
      const [no, type] = reader.tag();
      if (no === 3) details.push(detailOf(reader.bytes()));
      else reader.skip(type);
    }
  } catch {
    return []; // details of another kind
  }
  return details;
}

function detailOf(any: Uint8Array): object {
  const reader = new BinaryReader(any);
  let url = '';
  let value: Uint8Array = new Uint8Array();
  while (reader.pos < reader.len) {
    const [no, type] = reader.tag();
    if (no === 1) url = reader.string();
    else if (no === 2) value = reader.bytes();
    else reader.skip(type);
  }
  return described(url, value);
}

function described(url: string, value: Uint8Array): object {
  if (!url.endsWith(ErrorInfoSchema.typeName)) return { '@type': url };
  const info = toJson(ErrorInfoSchema, fromBinary(ErrorInfoSchema, value), { useProtoFieldName: true });
  return { '@type': url, ...(info as object) };
}

/** The error that a Connect call has as its JSON body. */
export function errorOfConnect(body: unknown): RpcError | undefined {
  if (!isObject(body) || typeof body['code'] !== 'string') return undefined;
  const { code, message, details } = body;
  return {
    code: codeOf(code),
    message: typeof message === 'string' ? message : '',
    details: Array.isArray(details) ? details.filter(isObject).map(connectDetail) : [],
  };
}

function connectDetail({ type, value }: Record<string, unknown>): object {
  try {
    return described(String(type), Buffer.from(String(value), 'base64'));
  } catch {
    return { '@type': String(type) };
  }
}

/** `not_found` is 5. A name that nobody knows is an unknown error. */
function codeOf(name: string): number {
  const pascal = name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const code: unknown = Code[pascal as keyof typeof Code];
  return typeof code === 'number' ? code : Code.Unknown;
}
