import type { Readable } from 'node:stream';
import { ApiError, invalidArgument } from '@understudy/core/contract/errors';
import type { Contract } from '@understudy/core/contract/contract';
import type { Route } from '@understudy/core/contract/router';
import type { Call, WrittenReply } from '@understudy/core/pipeline/call';
import type { Breakage } from '@understudy/core/scenarios/faults';

/** Where a process takes calls that another one forwards. It is part of no contract. */
export const FORWARDED_PATH = '/_replicas/calls';

const LENGTH_BYTES = 4;
/** Bytes of JSON: the message of an RPC may be some times as large as it was in protobuf. */
const MOST_JSON = 16_000_000;

/** JSON of a known length; any bytes may follow. */
export function frameOf(head: object): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text]);
}

export interface Frame<T> {
  head: T;
  /** What follows. Whoever stops reading it early destroys the stream. */
  rest: AsyncGenerator<Buffer>;
}

/** Reads the JSON. Throws an ApiError if the bytes are no frame, and what the stream throws if it breaks. */
export async function readFrame<T>(stream: Readable): Promise<Frame<T>> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const length = await readBytes(LENGTH_BYTES, Buffer.alloc(0), chunks);
  const size = length.bytes.readUInt32BE();
  if (size > MOST_JSON) throw tooLarge(MOST_JSON);
  const { bytes, rest } = await readBytes(size, length.rest, chunks);
  return { head: parsed(bytes) as T, rest: restOf(rest, chunks) };
}

async function readBytes(count: number, first: Buffer, chunks: AsyncIterator<Buffer>) {
  const read = [first];
  for (let size = first.length; size < count;) {
    const next = await chunks.next();
    if (next.done) throw invalidArgument('the frame has ended early');
    read.push(next.value);
    size += next.value.length;
  }
  const all = Buffer.concat(read);
  return { bytes: all.subarray(0, count), rest: all.subarray(count) };
}

function parsed(bytes: Buffer): unknown {
  try {
    const head: unknown = JSON.parse(bytes.toString());
    if (typeof head === 'object' && head !== null) return head;
  } catch {
    // It is refused like JSON of another kind.
  }
  throw invalidArgument('the frame does not begin with a JSON object');
}

const tooLarge = (limit: number) =>
  new ApiError('payload_too_large', `the frame is larger than ${limit / 1_000_000} MB`);

async function* restOf(first: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (first.length > 0) yield first;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  } finally {
    await chunks.return?.();
  }
}

/** Throws an ApiError if there are more bytes than `limit`. */
export async function allOf(bytes: AsyncIterable<Buffer>, limit = Infinity): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Which part of the server a call has come to. */
export type Api = 'service' | 'control';

/** A call on its way to the owner of its environment; the body follows. */
export interface CallHead extends Pick<
  Call,
  | 'protocol'
  | 'method'
  | 'path'
  | 'isUnknownRpc'
  | 'url'
  | 'query'
  | 'headers'
  | 'size'
  | 'baseUrl'
  | 'host'
  | 'address'
  | 'message'
> {
  api: Api;
  hasBody: boolean;
  bodyError?: ErrorHead;
  route?: { operation: string; params: Route['params']; rejection?: ErrorHead };
  /** The environment of the call, once the process that was asked first has said so. */
  environment?: string | undefined;
  /** Names that belong to no environment of the database. */
  absent: readonly string[];
  /** Instead of an answer: the id of the organization with this external id. */
  externalId?: string | undefined;
}

type ErrorHead = Pick<ApiError, 'failure' | 'message'> & { parts: object };

function errorHead({ failure, message, parts }: ApiError): ErrorHead {
  const { cause: _, ...sent } = parts;
  return { failure, message, parts: sent };
}

const errorIn = ({ failure, message, parts }: ErrorHead) => new ApiError(failure, message, parts);

/** A call may be an object of a class, whose members are its prototype's. */
const sentParts = ({
  protocol,
  method,
  path,
  url,
  query,
  headers,
  size,
  baseUrl,
  host,
  address,
  message,
}: Call) => ({ protocol, method, path, url, query, headers, size, baseUrl, host, address, message });

export function headOf(
  call: Call,
  further: Pick<CallHead, 'api' | 'absent' | 'environment' | 'externalId'>,
): CallHead {
  const { route, bodyError, isUnknownRpc } = call;
  return {
    ...sentParts(call),
    ...further,
    hasBody: call.body !== undefined,
    ...(isUnknownRpc && { isUnknownRpc }),
    ...(bodyError && { bodyError: errorHead(bodyError) }),
    ...(route && {
      route: {
        operation: route.operation.id,
        params: route.params,
        ...(route.rejection && { rejection: errorHead(route.rejection) }),
      },
    }),
  };
}

/** The call that another process has forwarded. */
export function callIn(
  {
    api: _,
    absent: _absent,
    environment: _name,
    externalId: _id,
    hasBody,
    bodyError,
    route,
    ...head
  }: CallHead,
  body: Uint8Array,
  { contract, signal }: { contract: Contract; signal: AbortSignal },
): Call {
  return {
    ...head,
    body: hasBody ? body : undefined,
    bodyError: bodyError && errorIn(bodyError),
    route: route && routeIn(route, contract),
    signal,
  };
}

function routeIn(
  { operation: id, params, rejection }: NonNullable<CallHead['route']>,
  contract: Contract,
): Route {
  const operation = contract.operation(id);
  if (!operation) throw new ApiError('unavailable', `this process does not know the operation ${id}`);
  return { operation, params, ...(rejection && { rejection: errorIn(rejection) }) };
}

/** A reply on its way back; its text or stream follows. */
export interface ReplyHead extends Pick<WrittenReply, 'status' | 'headers'> {
  content: 'none' | 'json' | 'text' | 'stream';
  breakage?: SentBreakage;
}

/** Bytes as base64. */
type SentBreakage = Exclude<Breakage, { kind: 'garbage' }> | { kind: 'garbage'; bytes: string };

export function replyHead({ status, headers, body, text, chunks, breakage }: WrittenReply): ReplyHead {
  const content = chunks
    ? 'stream'
    : text === undefined
      ? 'none'
      : typeof body === 'string'
        ? 'text'
        : 'json';
  return { status, headers, content, ...(breakage && { breakage: sent(breakage) }) };
}

export async function replyIn({ head, rest }: Frame<ReplyHead>): Promise<WrittenReply> {
  if (head.content === 'stream') return streamReply(head, rest);
  const bytes = await allOf(rest);
  return new ForwardedReply(head, head.content === 'none' ? undefined : bytes.toString());
}

const streamReply = ({ status, headers }: ReplyHead, rest: AsyncIterable<Buffer>): WrittenReply => ({
  status,
  headers,
  body: undefined,
  text: undefined,
  chunks: headers['content-type'] === 'application/octet-stream' ? rest : decoded(rest),
});

async function* decoded(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
  } catch {
    // The owner has gone: the stream ends, and its reader connects again.
  }
}

/** REST sends the text as it is; only an RPC needs the value. */
class ForwardedReply implements WrittenReply {
  readonly status: number;
  readonly headers: WrittenReply['headers'];
  readonly text: string | undefined;
  readonly breakage: Breakage | undefined;
  readonly #isJson: boolean;

  constructor({ status, headers, content, breakage }: ReplyHead, text: string | undefined) {
    this.status = status;
    this.headers = headers;
    this.text = text;
    this.breakage = breakage && received(breakage);
    this.#isJson = content === 'json';
  }

  get body(): unknown {
    return this.#isJson ? JSON.parse(this.text!) : this.text;
  }
}

const sent = (breakage: Breakage): SentBreakage =>
  breakage.kind === 'garbage'
    ? { ...breakage, bytes: Buffer.from(breakage.bytes).toString('base64') }
    : breakage;

const received = (breakage: SentBreakage): Breakage =>
  breakage.kind === 'garbage' ? { ...breakage, bytes: Buffer.from(breakage.bytes, 'base64') } : breakage;
