import { Agent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as requestHttps } from 'node:https';
import type { CallHead } from './call-frame.ts';
import { FORWARDED_PATH } from './frame.ts';
import { frameOf, readFrame, type Frame } from './frame.ts';
import type { ReplyHead } from './reply-frame.ts';

/** The process has not got the call, or does not own its environment. */
export class NotServed extends Error {
  /** The environment that the call belongs to, if the process was reached. */
  readonly environment: string | undefined;

  constructor(environment?: string) {
    super('another process owns the environment');
    this.environment = environment;
  }
}

/** The connection broke, and nobody knows whether the call has happened. */
export class Broken extends Error {}

export interface Forwarded {
  head: CallHead;
  body: Uint8Array | undefined;
  signal: AbortSignal | undefined;
  /** Asked now and then while there is no answer. */
  isStillOwner: () => Promise<boolean>;
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

  constructor(secret: string, period: number) {
    this.#secret = secret;
    this.#period = period;
  }

  async send(address: string, forwarded: Forwarded): Promise<Frame<ReplyHead>> {
    const request = this.#open(address, forwarded);
    const abort = () => request.destroy();
    const { signal, isStillOwner } = forwarded;
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    const watch = setInterval(() => {
      void isStillOwner().then(
        (isOwner) => isOwner || request.destroy(),
        () => {}, // the next look may succeed
      );
    }, this.#period);
    try {
      const response = await answerOf(request, forwarded.head.method);
      if (response.statusCode !== 200 && response.statusCode !== 421) throw new NotServed();
      const frame = await readFrame<ReplyHead & { environment?: string }>(response).catch(
        (thrown: unknown) => {
          throw new Broken('the answer has ended early', { cause: thrown });
        },
      );
      if (response.statusCode === 200) return frame;
      await frame.rest.return(undefined);
      throw new NotServed(frame.head.environment);
    } finally {
      clearInterval(watch);
    }
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #open(address: string, { head, body }: Forwarded): ClientRequest {
    const url = new URL(address.replace(/\/+$/, '') + FORWARDED_PATH);
    const isSecure = url.protocol === 'https:';
    const frame = frameOf(head);
    const request = (isSecure ? requestHttps : requestHttp)(url, {
      method: 'POST',
      agent: this.#agents[isSecure ? 'https:' : 'http:'],
      headers: {
        authorization: `Bearer ${this.#secret}`,
        'content-type': 'application/octet-stream',
        'content-length': frame.length + (body?.length ?? 0),
      },
    });
    request.write(frame);
    request.end(body);
    return request;
  }
}

/** A call that only reads may be sent again; any other may have happened if the connection was made. */
function answerOf(request: ClientRequest, method: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', (error: NodeJS.ErrnoException) => {
      const wasMade = error.syscall !== 'connect' && error.syscall !== 'getaddrinfo';
      const isHarmless = request.reusedSocket && (method === 'GET' || method === 'HEAD');
      reject(wasMade && !isHarmless ? new Broken(error.message, { cause: error }) : new NotServed());
    });
    request.on('close', () => reject(new Broken('the connection was closed')));
  });
}
