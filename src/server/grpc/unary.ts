import type { ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { fromBinary, toBinary, type Message } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { ApiError } from '../../contract/errors.ts';
import type { WrittenReply } from '../../pipeline/call.ts';
import type { AnswerHeaders } from '@understudy/text/json';
import { refuseLargeMaps } from './map-sizes.ts';
import { type ServerCall, RequestCall } from './server-call.ts';
import {
  OK,
  trailersOf,
  frame,
  metadataOf,
  readFrame,
  type RpcListener,
  type RpcRequest,
  type RpcResponse,
  frameHead,
} from './wire.ts';
import {
  type RpcInvocation,
  LARGE,
  type RpcContext,
  type Rpc,
  RpcCall,
  unknownMethod,
  type Pipeline,
} from './rpc.ts';
import { errorOf } from './status.ts';
import { wait, type Breakage } from '../../scenarios/faults.ts';

/** The largest message in bytes: the same limit as for an HTTP body. Unverified (grpc/message-size). */
export const MESSAGE_LIMIT = 1_000_000;
/** Milliseconds in each unit of `grpc-timeout`. */
const UNITS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 0.001,
  n: 0.000_001,
};
const LONGEST_TIMER = 2_147_483_647;

/** The result of an RPC: a message or an error. */
interface RpcResult {
  headers: AnswerHeaders;
  bytes?: Uint8Array;
  error?: ConnectError;
}

/** Serves one call of plain gRPC. */
export async function serveUnary(rpc: Rpc, context: RpcContext, call: ServerCall): Promise<void> {
  const lifetime = new CallLifetime(call.sink);
  const finish = (ending: RpcResult | undefined) => {
    clearTimeout(timer);
    if (!lifetime.isOver && ending) respond(call, ending);
    lifetime.isOver = true;
  };
  const fail = (thrown: unknown) => finish({ headers: {}, error: ConnectError.from(thrown, Code.Internal) });
  const late = () => fail(new ConnectError('the deadline has passed', Code.DeadlineExceeded));
  const timeout = timeoutOf(call);
  const timer = timeout === undefined ? undefined : setTimeout(late, timeout);
  call.sink.once('close', () => finish(undefined));
  try {
    finish(await answer(rpc, { context, protocol: 'grpc', path: rpc.path, lifetime }, call));
  } catch (thrown) {
    try {
      fail(thrown);
    } catch {
      call.response.destroy(); // an error that cannot be sent ends this call, not the process
    }
  }
}

/** Resolves to undefined when nothing more is to be sent. */
async function answer(
  rpc: Rpc,
  invocation: Omit<RpcInvocation, 'size'> & { lifetime: CallLifetime },
  call: ServerCall,
): Promise<RpcResult | undefined> {
  const { lifetime } = invocation;
  const bytes = await readAll(call.source);
  const size = bytes?.length ?? 0;
  const reply = await (bytes
    ? ask(rpc, bytes, { ...invocation, size })
    : rpc.refuse(tooLarge(), { ...invocation, size }));
  if (lifetime.isOver) return undefined;
  if (isBroken(reply) && (await sendBroken(call.response, reply, lifetime.signal))) return undefined;
  const { headers } = reply;
  try {
    return { headers, bytes: toBinary(rpc.method.output, rpc.read(reply)) };
  } catch (thrown) {
    return { headers, error: ConnectError.from(thrown, Code.Internal) };
  }
}

function ask(rpc: Rpc, bytes: Buffer, invocation: RpcInvocation): Promise<WrittenReply> {
  let message: Message;
  try {
    const content = readFrame(bytes);
    if (content.length > LARGE) refuseLargeMaps(content, rpc.method.input);
    message = fromBinary(rpc.method.input, content);
  } catch (thrown) {
    return rpc.refuse(thrown, invocation);
  }
  return rpc.ask(message, invocation);
}

const tooLarge = () =>
  new ApiError('payload_too_large', `the message is larger than ${MESSAGE_LIMIT / 1_000_000} MB`);

/** Sends the result of a gRPC call. */
function respond(call: ServerCall, { headers, bytes, error }: RpcResult): void {
  const head = metadataOf(headers);
  head['content-type'] = String(call.headers['content-type']);
  call.answer(head, bytes && frame(bytes), error ? trailersOf(error) : OK);
}

/** Resolves to undefined if the message is too large. */
function readAll(source: Readable): Promise<Buffer | undefined> {
  if (source.readableEnded) return Promise.resolve(Buffer.alloc(0)); // it ended while this code was being loaded
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MESSAGE_LIMIT) chunks.push(chunk);
    };
    source.on('data', take).once('error', reject);
    source.once('end', () => {
      source.off('data', take).off('error', reject); // Node keeps closed HTTP/2 streams, with their listeners, for a while
      if (size > MESSAGE_LIMIT) resolve(undefined);
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
  });
}

/** The caller's deadline in milliseconds from now; undefined if it has none. */
function timeoutOf({ headers }: ServerCall): number | undefined {
  const [, amount, unit] = /^(\d+)([HMSmun])$/.exec(String(headers['grpc-timeout'] ?? '')) ?? [];
  return unit === undefined ? undefined : Math.min(Number(amount) * UNITS[unit]!, LONGEST_TIMER);
}

/** Tells when a call is over: answered, or abandoned by its caller. */
class CallLifetime {
  isOver = false;
  readonly #sink: Writable;
  #signal: AbortSignal | undefined;

  constructor(sink: Writable) {
    this.#sink = sink;
  }

  /** Made on first use, because few calls wait for anything. */
  get signal(): AbortSignal {
    this.#signal ??= this.#make();
    return this.#signal;
  }

  #make(): AbortSignal {
    const controller = new AbortController();
    if (this.isOver) controller.abort();
    else this.#sink.once('close', () => controller.abort());
    return controller.signal;
  }
}

interface Parts extends Pick<Pipeline, 'serve'> {
  contextOf: (request: RpcRequest) => RpcContext;
}

/** `/package.Service/Method`: no path of the contract has this form. */
const RPC_PATH = /^\/\w+(\.\w+)+\/\w+$/;

/** Answers a method that no service has. It passes the pipeline like an unknown path, so the journal records it. */
export function createFallback({ serve, contextOf }: Parts): RpcListener {
  return (request, response) => {
    request.resume();
    const [path = '/'] = (request.url ?? '/').split('?');
    const lifetime = { signal: new AbortController().signal };
    const invocation = {
      context: contextOf(request),
      protocol: protocolOf(request),
      path,
      size: 0,
      lifetime,
    };
    if (!RPC_PATH.test(path))
      return refuse(request, response, new ConnectError(`${path} is not a method`, Code.Unimplemented));
    void serve(new RpcCall(unknownMethod(path), invocation)).then((reply) => {
      if (isGrpc(request)) refuse(request, response, errorOf(reply.status, reply.body), reply);
      else send(response, reply);
    });
  };
}

function refuse(
  request: RpcRequest,
  response: RpcResponse,
  error: ConnectError,
  { headers }: Pick<WrittenReply, 'headers'> = { headers: {} },
): void {
  respond(new RequestCall(request, response), { headers, error });
}

/** gRPC-Web and Connect clients understand an HTTP error; gRPC clients do not. */
function send(response: RpcResponse, { status, headers, text }: WrittenReply): void {
  (response as ServerResponse)
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(text);
}

const isGrpc = (request: RpcRequest) => protocolOf(request) === 'grpc';

function protocolOf({ headers }: RpcRequest): string {
  const type = headers['content-type'] ?? '';
  if (type.startsWith('application/grpc-web')) return 'grpc-web';
  return type.startsWith('application/grpc') ? 'grpc' : 'connect';
}

type Broken = WrittenReply & { breakage: Breakage };

export const isBroken = (reply: WrittenReply): reply is Broken => reply.breakage !== undefined;

/**
 * Breaks the answer of an RPC as a scenario's `fault` says. Resolves to true when nothing more is to be sent, and to
 * false when the answer must still be sent whole.
 */
export async function sendBroken(
  response: RpcResponse,
  { breakage, text = '' }: Broken,
  signal: AbortSignal,
): Promise<boolean> {
  // The fault counts bytes of the JSON text, as it does over HTTP.
  if (breakage.kind === 'cut' && Number(breakage.at) >= Buffer.byteLength(text)) return false;
  if (breakage.kind === 'dribble') {
    await wait(breakage.over, signal);
    return false;
  }
  if (breakage.kind === 'garbage') sendGarbage(response, breakage.bytes);
  else if (breakage.kind === 'cut') sendHalf(response);
  else breakOff(response);
  return true;
}

/** Sends a frame of the right length whose bytes are no valid message. */
function sendGarbage(response: RpcResponse, bytes: Uint8Array): void {
  writeHead(response);
  response.write(frame(bytes));
  response.addTrailers({ 'grpc-status': '0' });
  response.end();
}

/** Sends the head of a message without the message. */
function sendHalf(response: RpcResponse): void {
  writeHead(response);
  response.write(frameHead(1000), () => breakOff(response));
}

const writeHead = (response: RpcResponse) =>
  (response as ServerResponse).writeHead(200, { 'content-type': 'application/grpc' });

/** Closes the connection. Closing only the stream would send the client a regular error. */
function breakOff(response: RpcResponse): void {
  if ('stream' in response) response.stream.session?.destroy();
  else response.socket?.destroy();
}
