import type { Operation } from '../../contract/compiled.ts';
import type { Controls } from '../../control/handler.ts';
import type { CoverageReport } from '../../coverage/report.ts';
import { ApiError } from '../../errors.ts';
import { written, type Call, type WrittenReply } from '../../pipeline/call.ts';
import type { Peers, Replica } from '../../store/storage.ts';
import { headOf } from './call-frame.ts';
import { mergedFeed } from './merged-feed.ts';
import type { OwnerClient } from './owner-client.ts';
import { replyIn } from './reply-frame.ts';

/** Milliseconds until a replica counts as one that does not answer. */
const LIMIT = 2000;

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

  constructor(controls: Controls, peers: Peers, client: OwnerClient) {
    this.#controls = controls;
    this.#peers = peers;
    this.#client = client;
  }

  /** Most calls concern one process, so that its answer is complete. `own`: a success. */
  async complete(call: Call, { base }: Operation, own: WrittenReply): Promise<WrittenReply> {
    if (base === 'Control_ListEnvironments' && call.query['since'] === undefined)
      return this.#environments(call, own);
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

  async #coverage(call: Call, own: WrittenReply): Promise<WrittenReply> {
    const replies = await this.#askAll(call, { ...call.query, format: 'json' });
    const found = replies.filter(({ reply }) => reply?.status === 200);
    const missing = replies.filter(({ reply }) => reply?.status !== 200).map(({ replica }) => replica);
    const [{ currentReport }, { mergeReports }] = await Promise.all([
      import('../../coverage/current.ts'),
      import('../../coverage/tally.ts'),
    ]);
    const others = found.map(({ reply }) => reply!.body as CoverageReport);
    const merged = mergeReports([currentReport(this.#controls), ...others]);
    const report = { ...merged, ...(missing.length > 0 && { missing_replicas: missing }) };
    if (!String(own.headers['content-type']).startsWith('text/html'))
      return written({ ...own, body: report });
    const { renderCoverage } = await import('../../coverage/page.ts');
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
    const chunks = mergedFeed({
      own: own.chunks!,
      others: () => this.#others(),
      follow: async (replica, signal) => (await this.#ask(replica, call, call.query, signal))?.chunks,
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
