import type { Readable, Writable } from 'node:stream';
import { fromBinary, toBinary, type Message } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { ApiError } from '../../errors.ts';
import type { WrittenReply } from '../../pipeline/call.ts';
import type { AnswerHeaders } from '../../text/json.ts';
import { isBroken, sendBroken } from './breakage.ts';
import type { Carrier } from './carrier.ts';
import { OK, trailersOf, frame, metadataOf, readFrame } from './wire.ts';
import type { RpcInvocation, RpcContext, Rpc } from './rpc.ts';

/** The largest message in bytes: the same limit as for an HTTP body. */
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
export async function serveUnary(rpc: Rpc, context: RpcContext, carrier: Carrier): Promise<void> {
  const lifetime = new CallLifetime(carrier.sink);
  const finish = (ending: RpcResult | undefined) => {
    clearTimeout(timer);
    if (!lifetime.isOver && ending) respond(carrier, ending);
    lifetime.isOver = true;
  };
  const fail = (thrown: unknown) => finish({ headers: {}, error: ConnectError.from(thrown, Code.Internal) });
  const late = () => fail(new ConnectError('the deadline has passed', Code.DeadlineExceeded));
  const timeout = timeoutOf(carrier);
  const timer = timeout === undefined ? undefined : setTimeout(late, timeout);
  carrier.sink.once('close', () => finish(undefined));
  try {
    finish(await answer(rpc, { context, protocol: 'grpc', path: rpc.path, lifetime }, carrier));
  } catch (thrown) {
    try {
      fail(thrown);
    } catch {
      carrier.response.destroy(); // an error that cannot be sent ends this call, not the process
    }
  }
}

/** Resolves to undefined when nothing more is to be sent. */
async function answer(
  rpc: Rpc,
  invocation: Omit<RpcInvocation, 'size'> & { lifetime: CallLifetime },
  carrier: Carrier,
): Promise<RpcResult | undefined> {
  const { lifetime } = invocation;
  const bytes = await readAll(carrier.source);
  const size = bytes?.length ?? 0;
  const reply = await (bytes
    ? ask(rpc, bytes, { ...invocation, size })
    : rpc.refuse(tooLarge(), { ...invocation, size }));
  if (lifetime.isOver) return undefined;
  if (isBroken(reply) && (await sendBroken(carrier.response, reply, lifetime.signal))) return undefined;
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
    message = fromBinary(rpc.method.input, readFrame(bytes));
  } catch (thrown) {
    return rpc.refuse(thrown, invocation);
  }
  return rpc.ask(message, invocation);
}

const tooLarge = () =>
  new ApiError('payload_too_large', `the message is larger than ${MESSAGE_LIMIT / 1_000_000} MB`);

/** Sends the result of a gRPC call. */
export function respond(carrier: Carrier, { headers, bytes, error }: RpcResult): void {
  const head = metadataOf(headers);
  head['content-type'] = String(carrier.headers['content-type']);
  carrier.answer(head, bytes && frame(bytes), error ? trailersOf(error) : OK);
}

/** Resolves to undefined if the message is too large. */
function readAll(source: Readable): Promise<Buffer | undefined> {
  if (source.readableEnded) return Promise.resolve(Buffer.alloc(0)); // it ended while the facade was being loaded
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
function timeoutOf({ headers }: Carrier): number | undefined {
  const [, amount, unit] = /^(\d+)([HMSmun])$/.exec(String(headers['grpc-timeout'] ?? '')) ?? [];
  return unit === undefined ? undefined : Math.min(Number(amount) * UNITS[unit]!, LONGEST_TIMER);
}

/** Tells when a call is over: answered, or abandoned by its caller. */
export class CallLifetime {
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
