import { fromBinary, toBinary, type Message } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { AnswerHeaders } from '../answer-headers.ts';
import { ApiError } from '../errors.ts';
import type { WrittenReply } from '../pipeline/call.ts';
import { isBroken, sendBroken } from './breakage.ts';
import { announceTrailers, OK, trailersOf, type RpcRequest, type RpcResponse } from './details.ts';
import { frame, readFrame } from './frame.ts';
import { Leaving } from './leaving.ts';
import { metadataOf } from './metadata.ts';
import type { Asked, Opening, Rpc } from './rpc.ts';

/** Of a message, in bytes; as of a body over HTTP. */
export const MESSAGE_LIMIT = 1_000_000;
/** In milliseconds. */
const UNITS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 0.001,
  n: 0.000_001,
};
const LONGEST_TIMER = 2_147_483_647;

/** How an answer ends: with a message, or with a failure. */
interface Ending {
  headers: AnswerHeaders;
  bytes?: Uint8Array;
  error?: ConnectError;
}

/**
 * Whether a request is plain gRPC, as all official SDKs speak it: binary, and not compressed. The library serves all
 * else; what it does to be fit for every protocol costs more than the call itself.
 */
export function isPlain({ headers, method }: RpcRequest): boolean {
  const type = headers['content-type'];
  return (
    method === 'POST' &&
    (type === 'application/grpc' || type === 'application/grpc+proto') &&
    (headers['grpc-encoding'] ?? 'identity') === 'identity' &&
    /^(\d{1,8}[HMSmun])?$/.test(String(headers['grpc-timeout'] ?? ''))
  );
}

/** Serves one call of plain gRPC. */
export function serveUnary(rpc: Rpc, opening: Opening, request: RpcRequest, response: RpcResponse): void {
  const leaving = new Leaving(response);
  const finish = (ending: Ending | undefined) => {
    clearTimeout(timer);
    if (!leaving.isOver && ending) respond(request, response, ending);
    leaving.isOver = true;
  };
  const fail = (thrown: unknown) => finish({ headers: {}, error: ConnectError.from(thrown, Code.Internal) });
  const late = () => fail(new ConnectError('the deadline has passed', Code.DeadlineExceeded));
  const patience = patienceOf(request);
  const timer = patience === undefined ? undefined : setTimeout(late, patience);
  response.once('close', () => finish(undefined));
  answer(rpc, opening, { request, response, leaving })
    .then(finish)
    .catch(fail)
    // What can not even be told ends this call, and not the process.
    .catch(() => response.destroy());
}

interface Exchange {
  request: RpcRequest;
  response: RpcResponse;
  leaving: Leaving;
}

/** Undefined: nothing more is to be sent. */
async function answer(rpc: Rpc, opening: Opening, exchange: Exchange): Promise<Ending | undefined> {
  const { request, response, leaving } = exchange;
  const bytes = await readAll(request);
  const asked = { opening, protocol: 'grpc', path: request.url ?? '/', leaving };
  const reply = await (bytes ? ask(rpc, bytes, asked) : rpc.refuse(tooLarge(), asked));
  if (leaving.isOver) return undefined;
  if (isBroken(reply) && (await sendBroken(response, reply, leaving.signal))) return undefined;
  const { headers } = reply;
  try {
    return { headers, bytes: toBinary(rpc.method.output, rpc.read(reply)) };
  } catch (thrown) {
    return { headers, error: ConnectError.from(thrown, Code.Internal) };
  }
}

function ask(rpc: Rpc, bytes: Buffer, asked: Asked): Promise<WrittenReply> {
  let message: Message;
  try {
    message = fromBinary(rpc.method.input, readFrame(bytes));
  } catch (thrown) {
    return rpc.refuse(thrown, asked);
  }
  return rpc.ask(message, asked);
}

const tooLarge = () =>
  new ApiError('payload_too_large', `the message is larger than ${MESSAGE_LIMIT / 1_000_000} MB`);

/** Answers a call of gRPC. */
export function respond(request: RpcRequest, response: RpcResponse, { headers, bytes, error }: Ending): void {
  announceTrailers(request, response);
  const head = { ...metadataOf(headers), 'content-type': String(request.headers['content-type']) };
  (response as { writeHead(status: number, headers: object): void }).writeHead(200, head);
  if (bytes) response.write(frame(bytes));
  response.addTrailers(error ? trailersOf(error) : OK);
  response.end();
}

/** Undefined: it is too large. */
function readAll(request: RpcRequest): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MESSAGE_LIMIT) chunks.push(chunk);
    });
    request.once('end', () => {
      if (size > MESSAGE_LIMIT) resolve(undefined);
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
    request.once('error', reject);
  });
}

/** Milliseconds that the caller waits; undefined: for ever. */
function patienceOf({ headers }: RpcRequest): number | undefined {
  const [, amount, unit] = /^(\d+)([HMSmun])$/.exec(String(headers['grpc-timeout'] ?? '')) ?? [];
  return unit === undefined ? undefined : Math.min(Number(amount) * UNITS[unit]!, LONGEST_TIMER);
}
