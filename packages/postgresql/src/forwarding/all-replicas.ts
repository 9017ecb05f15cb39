import type { Replica, Peers } from '@understudy/core/store/storage';
import type { Operation } from '@understudy/core/contract/compiled';
import type { Controls } from '@understudy/core/control/handler';
import { MOST_KEPT } from '@understudy/core/environment/kept';
import type { CoverageReport } from '@understudy/core/coverage/report';
import { ApiError } from '@understudy/core/contract/errors';
import { written, type Call, type WrittenReply } from '@understudy/core/pipeline/call';
import { headOf, replyIn } from './frame.ts';
import type { OwnerClient } from './owner-client.ts';

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
async function* mergedFeed(sources: FeedSources): AsyncGenerator<string> {
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

/** Milliseconds until a replica counts as one that does not answer. A busy machine may hold it up for seconds. */
const LIMIT = 10_000;

/** What one of the other replicas has answered; `reply` is undefined if it did not answer in time. */
interface PeerReply {
  /** Its address, or its id if nobody can reach it. */
  replica: string;
  reply: WrittenReply | undefined;
}

interface EnvironmentList {
  environments: { name: string; resting?: boolean }[];
}

/** Completes the answer of this process to a control call with what the other replicas answer. */
export class AllReplicas {
  readonly #controls: Controls;
  readonly #peers: Peers;
  readonly #client: OwnerClient;
  readonly #serve: (call: Call) => Promise<WrittenReply>;

  /** `serve`: serves a control call where its environment is. */
  constructor(
    controls: Controls,
    peers: Peers,
    client: OwnerClient,
    serve: (call: Call) => Promise<WrittenReply>,
  ) {
    this.#controls = controls;
    this.#peers = peers;
    this.#client = client;
    this.#serve = serve;
  }

  /** Most calls concern one process, so that its answer is complete. `own`: a success. */
  async complete(call: Call, { base }: Operation, own: WrittenReply): Promise<WrittenReply> {
    if (base === 'Control_ListEnvironments' && call.query['since'] === undefined)
      return this.#environments(call, own);
    if (base === 'Control_KeepEnvironment') return this.#dropSurplus(call, own);
    if (call.query['environments'] !== 'all') return own;
    if (base === 'Control_GetCoverage') return this.#coverage(call, own);
    if (base === 'Control_ForgetCoverage') return this.#forgetCoverage(call, own);
    return base === 'Control_FollowEvents' ? this.#events(call, own) : own;
  }

  /** What the replica itself says, because only it knows what is not stored yet. Undefined: it cannot be asked. */
  async ofReplica(call: Call, id: string): Promise<WrittenReply | undefined> {
    const found = (await this.#others()).find((each) => each.id === id);
    const reply = found && (await this.#ask(found, call));
    return reply?.status === 200 ? reply : undefined;
  }

  /** The list of environments with those that are awake in the other processes. */
  async #environments(call: Call, reply: WrittenReply): Promise<WrittenReply> {
    const own = reply.body as EnvironmentList;
    const lists = [own.environments.filter(({ resting }) => !resting)];
    for (const { reply: others } of await this.#askAll(call, { ...call.query, limit: '0' }))
      if (others?.status === 200) lists.push((others.body as EnvironmentList).environments);
    const awake = lists.flat();
    const names = new Set(awake.map(({ name }) => name));
    const resting = own.environments.filter((each) => each.resting && !names.has(each.name));
    return written({ ...reply, body: { ...own, environments: [...awake, ...resting] } });
  }

  /** The owner has dropped only its own. What cannot be dropped now is dropped when another environment is kept. */
  async #dropSurplus({ protocol, headers, baseUrl, host }: Call, own: WrittenReply): Promise<WrittenReply> {
    const { authorization } = headers;
    for (const name of await this.#peers.keptBefore(MOST_KEPT).catch(() => [])) {
      const path = `/_control/v1/environments/${name}`;
      const asked = { protocol, method: 'DELETE', path, url: path, query: {}, headers: { authorization } };
      await this.#serve({ ...asked, body: undefined, size: 0, baseUrl, host });
    }
    return own;
  }

  async #coverage(call: Call, own: WrittenReply): Promise<WrittenReply> {
    const replies = await this.#askAll(call, { ...call.query, format: 'json' });
    const found = replies.filter(({ reply }) => reply?.status === 200);
    const missing = replies.filter(({ reply }) => reply?.status !== 200).map(({ replica }) => replica);
    const [{ currentReport }, { mergeReports }] = await Promise.all([
      import('@understudy/core/coverage/current'),
      import('@understudy/core/coverage/tally'),
    ]);
    const others = found.map(({ reply }) => reply!.body as CoverageReport);
    const merged = mergeReports([currentReport(this.#controls), ...others]);
    const report = { ...merged, ...(missing.length > 0 && { missing_replicas: missing }) };
    if (!String(own.headers['content-type']).startsWith('text/html'))
      return written({ ...own, body: report });
    const { renderCoverage } = await import('@understudy/core/coverage/page');
    const { headers, markup } = renderCoverage(report);
    return { ...own, headers: { ...own.headers, ...headers }, text: markup };
  }

  /** Throws `unavailable` if a replica keeps its counts. */
  async #forgetCoverage(call: Call, own: WrittenReply): Promise<WrittenReply> {
    const replies = await this.#askAll(call, call.query);
    const missing = replies.filter(({ reply }) => reply?.status !== own.status);
    if (missing.length === 0) return own;
    const names = missing.map(({ replica }) => replica).join(', ');
    const message = `replica ${names} does not answer and keeps its counts, the others are at zero: try again`;
    throw new ApiError('unavailable', message, { headers: { 'retry-after': '1' } });
  }

  #events(call: Call, own: WrittenReply): WrittenReply {
    // Feeds are texts.
    const chunks = mergedFeed({
      own: own.chunks as AsyncIterable<string>,
      others: () => this.#others(),
      follow: async (replica, signal) =>
        (await this.#ask(replica, call, call.query, signal))?.chunks as AsyncIterable<string> | undefined,
      signal: call.signal,
    });
    return { ...own, chunks };
  }

  async #others(): Promise<Replica[]> {
    const { replicas } = await this.#peers.replicas();
    return replicas.filter(({ alive, self }) => alive && !self);
  }

  async #askAll(call: Call, query: Call['query']): Promise<PeerReply[]> {
    const ask = async (replica: Replica) => ({
      replica: replica.address ?? replica.id,
      reply: await this.#ask(replica, call, query),
    });
    return Promise.all((await this.#others()).map(ask));
  }

  /** Undefined: the replica ends, cannot be reached, or does not answer in time. */
  async #ask(
    { address }: Replica,
    call: Call,
    query = call.query,
    leaving = call.signal,
  ): Promise<WrittenReply | undefined> {
    if (address === undefined) return undefined;
    const impatient = new AbortController();
    const timer = setTimeout(() => impatient.abort(), LIMIT);
    const signal = leaving ? AbortSignal.any([leaving, impatient.signal]) : impatient.signal;
    const head = { ...headOf(call, { api: 'control', absent: [] }), query };
    const isStillOwner = async () => (await this.#peers.addresses()).includes(address);
    const sent = this.#client.send(address, { head, body: undefined, signal, isStillOwner });
    // The whole answer, or the beginning of a stream.
    return sent
      .then(replyIn)
      .catch(() => undefined)
      .finally(() => clearTimeout(timer));
  }
}
