import type { Replica } from '../../store/storage.ts';

/** Milliseconds between two looks at the list of replicas. */
const PERIOD = 1000;
/** Chunks that wait for a slow reader. Beyond that, the feeds wait, and miss events as every feed does. */
const MOST_WAITING = 1000;

interface FeedSources {
  /** Ends the merged feed when it ends. */
  own: AsyncIterable<string>;
  others(): Promise<readonly Replica[]>;
  /** Undefined: the replica does not answer. */
  follow(replica: Replica, signal: AbortSignal): Promise<AsyncIterable<string> | undefined>;
  signal: AbortSignal | undefined;
}

/** The feeds of all replicas as one. Comments say from when on a replica answers, and which does not. */
export async function* mergedFeed(sources: FeedSources): AsyncGenerator<string> {
  const leaving = new AbortController();
  const signal = sources.signal ? AbortSignal.any([sources.signal, leaving.signal]) : leaving.signal;
  const queue = new ChunkQueue(signal);
  const followed = new FollowedReplicas(sources, queue, signal);
  const timer = setInterval(() => void followed.look(), PERIOD);
  void pump(sources.own, queue).finally(() => queue.end());
  void followed.look();
  try {
    for (;;) {
      const chunk = await queue.next();
      if (chunk === undefined) return;
      yield chunk;
    }
  } finally {
    clearInterval(timer);
    leaving.abort();
  }
}

/** The ids of the replicas that are followed, and of those that do not answer. */
class FollowedReplicas {
  readonly #sources: FeedSources;
  readonly #queue: ChunkQueue;
  readonly #signal: AbortSignal;
  readonly #followed = new Set<string>();
  readonly #silent = new Set<string>();

  constructor(sources: FeedSources, queue: ChunkQueue, signal: AbortSignal) {
    this.#sources = sources;
    this.#queue = queue;
    this.#signal = signal;
  }

  /** Follows the replicas that are not followed yet. */
  async look(): Promise<void> {
    const others = await this.#sources.others().catch(() => []); // the next look may succeed
    for (const replica of others) if (!this.#followed.has(replica.id)) void this.#follow(replica);
  }

  async #follow(replica: Replica): Promise<void> {
    const { id, address = id } = replica;
    this.#followed.add(id);
    const chunks = await this.#sources.follow(replica, this.#signal).catch(() => undefined);
    if (chunks) await this.#note(`replica ${address} answers`);
    else if (!this.#silent.has(id)) await this.#note(`replica ${address} does not answer`);
    if (chunks) this.#silent.delete(id);
    else this.#silent.add(id);
    if (chunks) await pump(eventsIn(chunks), this.#queue);
    this.#followed.delete(id);
  }

  #note(text: string): Promise<void> {
    return this.#queue.add(`: ${text}\n\n`);
  }
}

async function pump(chunks: AsyncIterable<string>, queue: ChunkQueue): Promise<void> {
  try {
    for await (const chunk of chunks) await queue.add(chunk);
  } catch {
    // The replica has gone: the next look finds out whether it lives.
  }
}

/** Whole events, without comments and without the end of the other feed. */
async function* eventsIn(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split('\n\n');
    rest = parts.pop()!;
    for (const part of parts) if (part.includes('data:') && !/^event: end$/m.test(part)) yield `${part}\n\n`;
  }
}

/** Chunks for one reader. */
class ChunkQueue {
  #chunks: string[] = [];
  #isOver = false;
  readonly #waiting = new Set<() => void>();

  constructor(signal: AbortSignal) {
    if (signal.aborted) this.end();
    signal.addEventListener('abort', () => this.end());
  }

  /** Resolves once there is room for another one. */
  async add(chunk: string): Promise<void> {
    if (this.#isOver) return;
    this.#chunks.push(chunk);
    this.#wake();
    while (this.#chunks.length > MOST_WAITING && !this.#isOver) await this.#change();
  }

  /** Undefined: there are no more. */
  async next(): Promise<string | undefined> {
    while (this.#chunks.length === 0 && !this.#isOver) await this.#change();
    const chunk = this.#chunks.shift();
    this.#wake();
    return chunk;
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
