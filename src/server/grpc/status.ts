import { create, fromJson, toBinary, type JsonObject, type JsonValue } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  ErrorInfoSchema,
  type ErrorInfo,
} from '@scalekit-sdk/node/lib/pkg/grpc/scalekit/v1/errdetails/errdetails_pb.js';
import { beginningOf } from '../../text/well-formed.ts';

const ERROR_INFO = 'type.googleapis.com/scalekit.v1.errdetails.ErrorInfo';

/** What a status that is said without a code means (as gRPC gateways read it backwards). */
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

/** The failure that an answer of the pipeline tells of: code, message and details are its own. */
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

/** None where a scenario has made up what no ErrorInfo holds. */
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

/** An answer that a scenario made up may hold anything. */
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

/** `grpc-status-details-bin` of a failure: with its own details, or with one that has its code. */
export function statusOf({ code, rawMessage, details }: ConnectError): string {
  const infos = details.flatMap((detail) => ('desc' in detail ? [create(detail.desc, detail.value)] : []));
  return infos.length === 0
    ? statusDetails(code, rawMessage)
    : written(code, rawMessage, infos as ErrorInfo[]);
}

/** The same for the failures that the library answers by itself. */
export const statusDetails = (code: number, message: string): string =>
  written(code, message, [create(ErrorInfoSchema, { errorCode: codeName(code) })]);

/** A google.rpc.Status, whose schema the library does not export. */
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
export const codeName = (code: number) =>
  (Code[code] ?? 'Unknown').replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();

/**
 * Clients take 8192 bytes of trailers (Java's gRPC by default, that of Python about as much), and HTTP/2 itself breaks off
 * over many more. A failure is told within that; the journal has all of it.
 */
const MOST_OF_MESSAGE = 1500; // percent-encoded; it is in the details a second time
const MOST_OF_DETAILS = 3000; // as JSON, which is larger than a message of it and smaller than its base64

/** What is kept, in turns until it is little enough: characters of a text, members of a list. */
const TURNS = [
  { text: 500, members: 15 },
  { text: 100, members: 8 },
  { text: 20, members: 3 },
] as const;

type Turn = (typeof TURNS)[number];

/** JSON may have a surrogate alone, which UTF-8 and a trailer can not. */
const HALF_A_LETTER = /\p{Surrogate}/gu;

export function shortMessage(message: string): string {
  const text = message.replace(HALF_A_LETTER, '\ufffd');
  if (text.length * 9 <= MOST_OF_MESSAGE) return text; // as long as a letter can get
  let size = 0;
  let length = 0;
  for (const letter of text) {
    size += encodeURIComponent(letter).length;
    if (size > MOST_OF_MESSAGE) return `${text.slice(0, length)}…`;
    length += letter.length;
  }
  return text;
}

/** The ErrorInfos of a failure. */
export function shortDetails(infos: readonly JsonObject[]): readonly JsonObject[] {
  const isShort = (each: readonly JsonObject[]) => Buffer.byteLength(JSON.stringify(each)) <= MOST_OF_DETAILS;
  if (isShort(infos)) return infos;
  const turns = TURNS.map((turn) => infos.slice(0, turn.members).map((info) => shortened(info, turn)));
  return turns.find(isShort) ?? [];
}

function shortened<T extends JsonValue>(value: T, turn: Turn): T;
function shortened(value: JsonValue, turn: Turn): JsonValue {
  if (typeof value === 'string')
    return value.length > turn.text ? `${beginningOf(value, turn.text)}…` : value;
  if (Array.isArray(value)) return value.slice(0, turn.members).map((each) => shortened(each, turn));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, shortened(member, turn)] as const);
  return Object.fromEntries(members);
}
