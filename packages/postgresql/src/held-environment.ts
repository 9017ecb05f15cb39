import type { Environment } from '@understudy/core/environment/environment';
import type { Call, WrittenReply } from '@understudy/core/pipeline/call';

/** Keeps the environment in memory until the call is answered, and its stream has ended. */
export async function inMemoryDuring(
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
