import {
  Agent,
  request as requestHttp,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions as HttpRequestOptions,
} from 'node:http';
import { urlToHttpOptions } from 'node:url';
import { Agent as SecureAgent, request as requestHttps } from 'node:https';
import { type CallHead, FORWARDED_PATH, frameOf, readFrame, type Frame, type ReplyHead } from './frame.ts';

/** The process has not got the call, or does not own its environment. */
export class NotServed extends Error {
  /** The environment that the call belongs to, if the process was reached. */
  readonly environment: string | undefined;
  /** Why the process was not reached. */
  readonly reason: string | undefined;
  /** The process did not answer for so long that it must not be asked again. */
  readonly isSilent: boolean;

  constructor({ environment, reason, isSilent = false }: Partial<Omit<NotServed, keyof Error>> = {}) {
    super('another process owns the environment');
    this.environment = environment;
    this.reason = reason;
    this.isSilent = isSilent;
  }
}

/** The connection broke, and nobody knows whether the call has happened. */
export class Broken extends Error {}

interface RequestOptions {
  method: 'HEAD' | 'POST';
  headers?: OutgoingHttpHeaders;
  signal?: AbortSignal;
}

interface Forwarded {
  head: CallHead;
  body: Uint8Array | undefined;
  signal: AbortSignal | undefined;
  /** Asked now and then until the answer has ended. Rejects if nobody knows. */
  isStillOwner: () => Promise<boolean>;
}

type SocketTarget = Pick<HttpRequestOptions, 'protocol' | 'hostname' | 'port' | 'path'>;

function targetOf(address: string): SocketTarget {
  const { protocol, hostname, port, path } = urlToHttpOptions(
    new URL(address.replace(/\/+$/, '') + FORWARDED_PATH),
  );
  return { protocol, hostname, port, path };
}

/** Sends calls to other processes over connections that stay open. */
export class OwnerClient {
  readonly #secret: string;
  /** Milliseconds between two looks at the owner. */
  readonly #period: number;
  readonly #agents = {
    'http:': new Agent({ keepAlive: true, noDelay: true }),
    'https:': new SecureAgent({ keepAlive: true, noDelay: true }),
  };

  /** By address. To read an address costs as much as to write a call. */
  readonly #targets = new Map<string, SocketTarget>();

  constructor(secret: string, period: number) {
    this.#secret = secret;
    this.#period = period;
  }

  async send(address: string, forwarded: Forwarded): Promise<Frame<ReplyHead>> {
    const request = this.#open(address, forwarded);
    const { head, signal, isStillOwner } = forwarded;
    const abort = () => request.destroy();
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    this.#watch(request, async () => {
      if (!(await isStillOwner())) return false;
      await this.#reach(address);
      return true;
    });
    const response = await answerOf(request, head.method);
    if (response.statusCode !== 200 && response.statusCode !== 421) {
      response.resume();
      throw new NotServed({ reason: `it answers ${response.statusCode}` });
    }
    const frame = await readFrame<ReplyHead & { environment?: string }>(response).catch(broken);
    if (response.statusCode === 200) return { ...frame, rest: unbroken(frame.rest) };
    await frame.rest.return(undefined);
    throw new NotServed({ environment: frame.head.environment });
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  /**
   * Ends the request when another process owns the environment, or when the database or the owner has not answered for two
   * periods.
   */
  #watch(request: ClientRequest, isConfirmed: () => Promise<boolean>): void {
    const end = () => request.destroy(new OwnerLost());
    let failures = 0;
    let isAsking = false;
    const ask = async () => {
      isAsking = true;
      const isOwner = await isConfirmed().catch(() => undefined);
      isAsking = false;
      failures = isOwner ? 0 : failures + 1;
      if (isOwner === false || failures === 2) end();
    };
    const watch = setInterval(() => void (isAsking ? end() : ask()), this.#period);
    request.once('close', () => clearInterval(watch)); // after the last byte of a stream
  }

  #open(address: string, { head, body }: Forwarded): ClientRequest {
    const frame = frameOf(head);
    const request = this.#request(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': frame.length + (body?.length ?? 0),
      },
    });
    // Each write is a system call of its own.
    request.end(body ? Buffer.concat([frame, body]) : frame);
    return request;
  }

  /** Resolves if the process answers within a period: the connection of a slow call may be dead without a word. */
  async #reach(address: string): Promise<void> {
    const request = this.#request(address, { method: 'HEAD', signal: AbortSignal.timeout(this.#period) });
    const response = answerOf(request, 'HEAD');
    request.end();
    (await response).resume();
  }

  #request(address: string, options: RequestOptions): ClientRequest {
    let target = this.#targets.get(address);
    if (!target) this.#targets.set(address, (target = targetOf(address)));
    const isSecure = target.protocol === 'https:';
    return (isSecure ? requestHttps : requestHttp)({
      ...target,
      ...options,
      agent: this.#agents[isSecure ? 'https:' : 'http:'],
      headers: { ...options.headers, authorization: `Bearer ${this.#secret}` },
    });
  }
}

function broken(thrown: unknown): never {
  throw new Broken('the answer has ended early', { cause: thrown });
}

/** Throws Broken if the stream breaks. */
async function* unbroken(rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* rest;
  } catch (thrown) {
    broken(thrown);
  }
}

/** The process that was asked lost the environment before it answered, or nobody can say whether it did. */
class OwnerLost extends Error {
  override readonly message = 'it does not answer';
}

/** A call that only reads may be sent again; any other may have happened if the connection was made. */
function answerOf(request: ClientRequest, method: string): Promise<IncomingMessage> {
  const isRead = method === 'GET' || method === 'HEAD';
  let wasMade = false;
  request.once('socket', (socket) => {
    if (request.reusedSocket) wasMade = true;
    // A certificate that is not trusted ends the connection before anything is sent.
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => (wasMade = true));
  });
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    request.on('response', (response) => {
      isAnswered = true;
      resolve(response);
    });
    request.on('error', (error) => {
      const isHarmless = isRead && (request.reusedSocket || error instanceof OwnerLost);
      if (wasMade && !isHarmless) reject(new Broken(error.message, { cause: error }));
      else reject(new NotServed({ reason: error.message, isSilent: error instanceof OwnerLost }));
    });
    request.on('close', () => isAnswered || reject(new Broken('the connection was closed')));
  });
}
