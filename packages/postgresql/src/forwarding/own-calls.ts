import type { Environment } from '@understudy/core/environment/environment';
import { afterRunning } from '@understudy/core/state/running-time';
import type { Call, WrittenReply } from '@understudy/core/pipeline/call';

/** The calls that this process serves itself, until it leaves its environments to other processes. */
export class OwnCalls {
  #inFlight = 0;
  #onIdle: (() => void) | undefined;
  #leaving: Promise<void> | undefined;

  /** Set from the moment on in which the environments are left to others; resolves once they are. */
  get leaving(): Promise<void> | undefined {
    return this.#leaving;
  }

  async run<T>(serve: () => Promise<T>): Promise<T> {
    this.#inFlight += 1;
    try {
      return await serve();
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#onIdle?.();
    }
  }

  /** Calls `giveUp` once the calls in flight are answered, or after `timeout` milliseconds. */
  leave(giveUp: () => Promise<void>, timeout: number): Promise<void> {
    return (this.#leaving ??= this.#answered(timeout).then(giveUp));
  }

  #answered(timeout: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#inFlight === 0) return resolve();
      const prevent = afterRunning(timeout, resolve);
      this.#onIdle = () => {
        prevent();
        resolve();
      };
    });
  }
}

/** Keeps the environment awake until the call is answered, and its stream has ended. */
export async function awakeDuring(
  environment: Environment,
  call: Pick<Call, 'signal'>,
  serve: () => Promise<WrittenReply>,
): Promise<WrittenReply> {
  const release = held(environment);
  try {
    const reply = await serve();
    if (reply.chunks) return { ...reply, chunks: new HeldChunks(reply.chunks, release, call.signal) };
    release();
    return reply;
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/** Returns the function that lets it go; a second call of it does nothing. */
function held(environment: Environment): () => void {
  environment.callsUnderWay += 1;
  let isHeld = true;
  return () => {
    if (isHeld) environment.callsUnderWay -= 1;
    isHeld = false;
  };
}

/** A generator would not notice that its reader leaves before it reads. */
class HeldChunks implements AsyncIterableIterator<string | Uint8Array> {
  readonly #chunks: AsyncIterator<string | Uint8Array>;
  readonly #release: () => void;

  constructor(
    chunks: AsyncIterable<string | Uint8Array>,
    release: () => void,
    signal: AbortSignal | undefined,
  ) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#release = release;
    signal?.addEventListener('abort', release);
    if (signal?.aborted) release();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string | Uint8Array>> {
    try {
      const next = await this.#chunks.next();
      if (next.done) this.#release();
      return next;
    } catch (thrown) {
      this.#release();
      throw thrown;
    }
  }

  async return(): Promise<IteratorResult<string | Uint8Array>> {
    this.#release();
    await this.#chunks.return?.();
    return { done: true, value: undefined };
  }
}
