import type { Readable, Writable } from 'node:stream';
import { fromBinary, toBinary, type Message } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { ApiError } from '../../errors.ts';
import type { WrittenReply } from '../../pipeline/call.ts';
import type { AnswerHeaders } from '../../text/json.ts';
import { isBroken, sendBroken } from './breakage.ts';
import type { Carrier } from './carrier.ts';
import { OK, trailersOf } from './details.ts';
import { frame, metadataOf, readFrame } from './frame.ts';
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

/** Serves one call of plain gRPC. */
export async function serveUnary(rpc: Rpc, opening: Opening, carrier: Carrier): Promise<void> {
  const leaving = new Leaving(carrier.sink);
  const finish = (ending: Ending | undefined) => {
    clearTimeout(timer);
    if (!leaving.isOver && ending) respond(carrier, ending);
    leaving.isOver = true;
  };
  const fail = (thrown: unknown) => finish({ headers: {}, error: ConnectError.from(thrown, Code.Internal) });
  const late = () => fail(new ConnectError('the deadline has passed', Code.DeadlineExceeded));
  const timeout = timeoutOf(carrier);
  const timer = timeout === undefined ? undefined : setTimeout(late, timeout);
  carrier.sink.once('close', () => finish(undefined));
  try {
    finish(await answer(rpc, { opening, protocol: 'grpc', path: rpc.path, leaving }, carrier));
  } catch (thrown) {
    try {
      fail(thrown);
    } catch {
      carrier.response.destroy(); // what can not even be told ends this call, and not the process
    }
  }
}

/** Undefined: nothing more is to be sent. */
async function answer(
  rpc: Rpc,
  asked: Omit<Asked, 'size'> & { leaving: Leaving },
  carrier: Carrier,
): Promise<Ending | undefined> {
  const { leaving } = asked;
  const bytes = await readAll(carrier.source);
  const size = bytes?.length ?? 0;
  const reply = await (bytes
    ? ask(rpc, bytes, { ...asked, size })
    : rpc.refuse(tooLarge(), { ...asked, size }));
  if (leaving.isOver) return undefined;
  if (isBroken(reply) && (await sendBroken(carrier.response, reply, leaving.signal))) return undefined;
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
export function respond(carrier: Carrier, { headers, bytes, error }: Ending): void {
  const head = metadataOf(headers);
  head['content-type'] = String(carrier.headers['content-type']);
  carrier.answer(head, bytes && frame(bytes), error ? trailersOf(error) : OK);
}

/** Undefined: it is too large. */
function readAll(source: Readable): Promise<Buffer | undefined> {
  if (source.readableEnded) return Promise.resolve(Buffer.alloc(0)); // while the facade was loaded
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MESSAGE_LIMIT) chunks.push(chunk);
    };
    source.on('data', take).once('error', reject);
    source.once('end', () => {
      source.off('data', take).off('error', reject); // streams of HTTP/2 are kept for a while, with all they hold
      if (size > MESSAGE_LIMIT) resolve(undefined);
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
  });
}

/** Milliseconds that the caller waits; undefined: for ever. */
function timeoutOf({ headers }: Carrier): number | undefined {
  const [, amount, unit] = /^(\d+)([HMSmun])$/.exec(String(headers['grpc-timeout'] ?? '')) ?? [];
  return unit === undefined ? undefined : Math.min(Number(amount) * UNITS[unit]!, LONGEST_TIMER);
}

/** Whether an exchange is over: answered, or left by its caller. */
export class Leaving {
  isOver = false;
  readonly #sink: Writable;
  #signal: AbortSignal | undefined;

  constructor(sink: Writable) {
    this.#sink = sink;
  }

  /** Made when it is first asked for: few calls have anything to wait for. */
  get signal(): AbortSignal {
    this.#signal ??= this.#make();
    return this.#signal;
  }

  #make(): AbortSignal {
    const leaving = new AbortController();
    if (this.isOver) leaving.abort();
    else this.#sink.once('close', () => leaving.abort());
    return leaving.signal;
  }
}
