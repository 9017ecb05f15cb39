import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { fromBinary, fromJson, toBinary, toJson, type DescMethod, type JsonValue } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { REGISTRY } from '@understudy/core/server/grpc/services';
import type { Answer } from '../probes/caller.ts';

/** A call over gRPC. `body` is the message in JSON. */
interface RpcCall {
  /** Such as `scalekit.v1.roles.RolesService/DeleteRole`. */
  rpc: string;
  headers: Readonly<Record<string, string>>;
  body?: unknown;
  signal: AbortSignal;
}

/** The HTTP status that a gateway gives an error of gRPC, by its code (google.rpc.Code). */
const STATUSES = [200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401];
const ERROR_INFO = 'scalekit.v1.errdetails.ErrorInfo';

/** undefined: no service has it, so that its message is empty and its answer is an error. */
function methodNamed(rpc: string): DescMethod | undefined {
  const [service = '', name] = rpc.split('/');
  return REGISTRY.getService(service)?.methods.find((each) => each.name === name);
}

/**
 * Makes the call on a connection of its own. The answer is written as a gateway would write it: a message as JSON, an error
 * as `{ code, message, details }` with the HTTP status of its code. Its headers have the trailers too.
 */
export async function callRpc(url: string, { rpc, headers, body, signal }: RpcCall): Promise<Answer> {
  const method = methodNamed(rpc);
  const message = method
    ? toBinary(method.input, fromJson(method.input, (body ?? {}) as JsonValue))
    : NOTHING;
  const session = connect(url);
  try {
    const { head, trailers, bytes } = await exchange(session, {
      rpc,
      headers,
      message: framed(message),
      signal,
    });
    const answered = { ...head, ...trailers };
    const code = answered['grpc-status'];
    if (code === undefined)
      return { status: Number(head[':status']), headers: answered, body: bytes.toString() };
    if (code !== '0') return refusal(Number(code), answered);
    const output =
      method && toJson(method.output, fromBinary(method.output, bytes.subarray(PREFIX)), JSON_FORM);
    return { status: 200, headers: answered, body: output };
  } finally {
    session.close();
  }
}

const NOTHING = new Uint8Array();
const JSON_FORM = { useProtoFieldName: true };
/** Bytes before a message: whether it is compressed, and its length. */
const PREFIX = 5;

function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(PREFIX);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

type Texts = Record<string, string>;

interface Sent {
  rpc: string;
  headers: Readonly<Texts>;
  message: Buffer;
  signal: AbortSignal;
}

function exchange(session: ClientHttp2Session, { rpc, headers, message, signal }: Sent) {
  return new Promise<{ head: Texts; trailers: Texts; bytes: Buffer }>((resolve, reject) => {
    session.on('error', reject);
    const stream: ClientHttp2Stream = session.request(
      {
        ':method': 'POST',
        ':path': `/${rpc}`,
        'content-type': 'application/grpc',
        te: 'trailers',
        ...headers,
      },
      { signal },
    );
    let [head, trailers]: [Texts, Texts] = [{}, {}];
    const chunks: Buffer[] = [];
    stream.on('response', (given) => (head = given as Texts));
    stream.on('trailers', (given) => (trailers = given as Texts));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('close', () => resolve({ head, trailers, bytes: Buffer.concat(chunks) }));
    stream.end(message);
  });
}

function refusal(code: number, headers: Texts): Answer {
  const message = decodeURIComponent(headers['grpc-message'] ?? '');
  const details = detailsIn(headers['grpc-status-details-bin'] ?? '');
  return { status: STATUSES[code] ?? 500, headers, body: { code, message, details } };
}

/** The ErrorInfos of a google.rpc.Status. */
function detailsIn(text: string): JsonValue[] {
  const info = REGISTRY.getMessage(ERROR_INFO)!;
  const details = fieldsOf(Buffer.from(text, 'base64'), 3).map((any) => ({
    type: Buffer.from(fieldsOf(any, 1)[0] ?? NOTHING).toString(),
    value: fieldsOf(any, 2)[0] ?? NOTHING,
  }));
  return details.map(({ type, value }) => ({
    '@type': type,
    ...(type.endsWith(`/${ERROR_INFO}`) && (toJson(info, fromBinary(info, value), JSON_FORM) as object)),
  }));
}

/** The values of a field that has bytes. */
function fieldsOf(message: Uint8Array, wanted: number): Uint8Array[] {
  const reader = new BinaryReader(message);
  const found: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === wanted) found.push(reader.bytes());
    else reader.skip(type);
  }
  return found;
}
