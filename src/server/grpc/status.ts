import { create, fromJson, toBinary, type JsonObject, type JsonValue } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  ErrorInfoSchema,
  type ErrorInfo,
} from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/errdetails/errdetails_pb.js';
import { beginningOf } from '@understudy/text/json';

const ERROR_INFO = 'type.googleapis.com/scalekit.v1.errdetails.ErrorInfo';

/** The gRPC code for an HTTP status whose body has no code: the reverse of grpc-gateway's mapping. */
const CODES: Readonly<Record<number, Code>> = {
  400: Code.InvalidArgument,
  401: Code.Unauthenticated,
  403: Code.PermissionDenied,
  404: Code.NotFound,
  409: Code.AlreadyExists,
  429: Code.ResourceExhausted,
  499: Code.Canceled,
  500: Code.Internal,
  501: Code.Unimplemented,
  503: Code.Unavailable,
  504: Code.DeadlineExceeded,
};

/** Turns an error reply of the pipeline into a gRPC error with the same code, message and details. */
export function errorOf(status: number, body: unknown): ConnectError {
  const { code, message, details } = envelopeOf(body);
  const infos = details.filter((detail) => detail['@type'] === ERROR_INFO);
  const error = new ConnectError(
    shortMessage(message ?? `status ${status}`),
    code ?? CODES[status] ?? Code.Unknown,
  );
  error.details = shortDetails(infos).flatMap(detailsOf);
  return error;
}

/** Empty if a scenario's detail does not fit an ErrorInfo. */
function detailsOf({ '@type': _, ...info }: JsonObject) {
  try {
    const value = fromJson(ErrorInfoSchema, info, { ignoreUnknownFields: true });
    return [{ desc: ErrorInfoSchema, value }];
  } catch {
    return [];
  }
}

interface Envelope {
  code?: number;
  message?: string;
  details: JsonObject[];
}

/** A scenario may reply with any body, so nothing is certain about its shape. */
function envelopeOf(body: unknown): Envelope {
  if (typeof body !== 'object' || body === null) return { details: [] };
  const { code, message, details } = body as Record<string, unknown>;
  return {
    ...(Number.isInteger(code) && Number(code) > 0 && Number(code) <= 16 && { code: Number(code) }),
    ...(typeof message === 'string' && { message }),
    details: Array.isArray(details) ? details.filter(isObject) : [],
  };
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of `grpc-status-details-bin`: the error's own details, or one ErrorInfo with its code. */
export function statusOf({ code, rawMessage, details }: ConnectError): string {
  const infos = details.flatMap((detail) => ('desc' in detail ? [create(detail.desc, detail.value)] : []));
  return infos.length === 0
    ? statusDetails(code, rawMessage)
    : written(code, rawMessage, infos as ErrorInfo[]);
}

/** The same for errors that the library answers by itself. */
export const statusDetails = (code: number, message: string): string =>
  written(code, message, [create(ErrorInfoSchema, { errorCode: codeName(code) })]);

/** Encodes a google.rpc.Status by hand, because the library does not export its schema. */
function written(code: number, message: string, infos: readonly ErrorInfo[]): string {
  const status = new BinaryWriter()
    .tag(1, WireType.Varint)
    .int32(code)
    .tag(2, WireType.LengthDelimited)
    .string(message);
  for (const info of infos) status.tag(3, WireType.LengthDelimited).bytes(anyOf(info));
  return Buffer.from(status.finish()).toString('base64').replace(/=+$/, '');
}

const anyOf = (info: ErrorInfo): Uint8Array =>
  new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .string(ERROR_INFO)
    .tag(2, WireType.LengthDelimited)
    .bytes(toBinary(ErrorInfoSchema, info))
    .finish();

/** `ResourceExhausted` as `RESOURCE_EXHAUSTED`. */
const codeName = (code: number) =>
  (Code[code] ?? 'Unknown').replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();

/**
 * Clients accept 8192 bytes of trailers (the default of gRPC for Java; Python's is similar). Errors are shortened to fit.
 * The journal keeps them whole.
 */
const MAX_MESSAGE = 1500; // percent-encoded; the details repeat the message
const MAX_DETAILS = 3000; // as JSON, whose size lies between the binary message and its base64

/** Tried in order until the details fit: how many characters of a text and members of a list to keep. */
const SHORTENING_STEPS = [
  { text: 500, members: 15 },
  { text: 100, members: 8 },
  { text: 20, members: 3 },
] as const;

type ShorteningStep = (typeof SHORTENING_STEPS)[number];

/** JSON allows a lone surrogate; UTF-8 and trailers do not. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

export function shortMessage(message: string): string {
  const text = message.replace(LONE_SURROGATE, '\ufffd');
  if (text.length * 9 <= MAX_MESSAGE) return text; // 9: the most bytes that one character can take when percent-encoded
  let size = 0;
  let length = 0;
  for (const letter of text) {
    size += encodeURIComponent(letter).length;
    if (size > MAX_MESSAGE) return `${text.slice(0, length)}…`;
    length += letter.length;
  }
  return text;
}

/** Shortens the ErrorInfos of an error until they fit into the trailers. */
function shortDetails(infos: readonly JsonObject[]): readonly JsonObject[] {
  const fits = (each: readonly JsonObject[]) => Buffer.byteLength(JSON.stringify(each)) <= MAX_DETAILS;
  if (fits(infos)) return infos;
  const candidates = SHORTENING_STEPS.map((turn) =>
    infos.slice(0, turn.members).map((info) => shortened(info, turn)),
  );
  return candidates.find(fits) ?? [];
}

function shortened<T extends JsonValue>(value: T, turn: ShorteningStep): T;
function shortened(value: JsonValue, turn: ShorteningStep): JsonValue {
  if (typeof value === 'string')
    return value.length > turn.text ? `${beginningOf(value, turn.text)}…` : value;
  if (Array.isArray(value)) return value.slice(0, turn.members).map((each) => shortened(each, turn));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, shortened(member, turn)] as const);
  return Object.fromEntries(members);
}
