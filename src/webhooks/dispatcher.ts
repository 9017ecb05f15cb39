import pLimit from 'p-limit';
import type { LimitFunction } from 'p-limit';
import type { StateLifetime } from '../journal/activity.ts';
import { isDue, type CallingEnvironment, type CallCollection, type DueCall } from './due-calls.ts';
import { machineTime } from '../state/clock.ts';
import type { Env, Rows } from '../state/env.ts';
import { anyTable } from '../state/schema.ts';
import { isOvertaken, untilKept } from '../store/until-stored.ts';
import type { RowBase } from '../rows/positions.ts';
import { backChannelLogoutCalls } from './back-channel-logout.ts';
import type { CallContext, CallKind, CallOutcome, QueueOptions } from './delivery-attempt.ts';
import { webhookCalls } from './webhook-call.ts';

/** Calls of a collection without a kind stay due. */
export type CallKinds = { readonly [C in CallCollection]?: CallKind<Rows[C]> };

/** The compiler cannot see which rows a table holds, hence the cast. */
const kindIn = (kinds: CallKinds, collection: CallCollection) =>
  kinds[collection] as unknown as CallKind<RowBase>;

/** A call and the lifetime of the state that queued it. */
interface QueuedCall {
  environment: CallingEnvironment;
  lifetime: StateLifetime;
  call: DueCall;
}

/** The calls of one state lifetime. A reset aborts them, and calls made after the reset do not wait for them. */
class LifetimeCalls {
  readonly context: CallContext;
  readonly queues = new Queues();
  /** Running or waiting calls by id; `again`: the call was queued again meanwhile. */
  readonly known = new Map<string, { again: boolean }>();
  /** Calls that stay inside this process and so end soon. */
  readonly local = new Set<Promise<void>>();

  constructor(context: CallContext, lifetime: StateLifetime) {
    this.context = { ...context, stopping: AbortSignal.any([context.stopping, lifetime.signal]) };
  }
}

/**
 * Makes queued calls in order, with a limit for each queue, and records the attempts. Calls aborted by the end of
 * the process stay due; calls of a state that was reset are dropped.
 */
export class Dispatcher {
  readonly #context: CallContext;
  readonly #kinds: CallKinds;
  readonly #stop = new AbortController();
  readonly #records: AttemptRecords;
  readonly #underWay = new Set<Promise<void>>();
  readonly #calls = new WeakMap<StateLifetime, LifetimeCalls>();

  /** `added`: the kinds of packages. */
  constructor(context: Omit<CallContext, 'stopping'>, added: CallKinds) {
    this.#context = { ...context, stopping: this.#stop.signal };
    this.#kinds = { outgoing_calls: backChannelLogoutCalls, webhook_deliveries: webhookCalls, ...added };
    this.#records = new AttemptRecords(this.#kinds);
  }

  enqueue(calls: readonly QueuedCall[]): void {
    for (const queued of calls) this.#start(queued);
  }

  localCalls({ activity }: CallingEnvironment): ReadonlySet<Promise<void>> | undefined {
    return this.#calls.get(activity.lifetime)?.local;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#underWay);
  }

  #start(queued: QueuedCall): void {
    const row = this.#dueRow(queued);
    if (!row) return;
    const { queues, known, local } = this.#callsOf(queued.lifetime);
    const { collection, id } = queued.call;
    const earlier = known.get(id);
    if (earlier) return void (earlier.again = true);
    const state = { again: false };
    known.set(id, state);
    const { tables } = queued.environment;
    const kind = kindIn(this.#kinds, collection);
    const group = kind.isLocal(row, tables) ? local : this.#underWay;
    const running = queues
      .run(kind.queueOf(row, tables), () => this.#attempt(queued))
      .catch((thrown: unknown) => this.#context.report(`call ${id}`, thrown))
      .finally(() => {
        known.delete(id);
        group.delete(running);
        if (state.again) this.#start(queued);
      });
    group.add(running);
  }

  async #attempt(queued: QueuedCall): Promise<void> {
    const { environment, call } = queued;
    try {
      await environment.log.kept();
    } catch (thrown) {
      if (isOvertaken(thrown)) return; // whoever has queued the call does so again
      throw thrown;
    }
    await untilClaimed(environment, call, () => this.#attemptOnce(queued));
  }

  async #attemptOnce(queued: QueuedCall): Promise<void> {
    const row = this.#dueRow(queued);
    if (!row) return;
    const { environment, call } = queued;
    const { context } = this.#callsOf(queued.lifetime);
    const kind = kindIn(this.#kinds, call.collection);
    const outcome = await kind.attempt(row, environment, context);
    context.metrics.countAttempt(kind.name, outcome.result);
    const stillCounts = () => this.#dueRow(queued) !== undefined;
    if (stillCounts()) await this.#records.add(environment, { call, outcome, stillCounts });
  }

  /** Undefined if the call is no longer due. */
  #dueRow({ environment, lifetime, call: { collection, id } }: QueuedCall): RowBase | undefined {
    if (lifetime.endedBy || this.#stop.signal.aborted || !this.#kinds[collection]) return undefined;
    const row = anyTable(environment.tables, collection).find(id);
    return row && isDue(collection, row) ? row : undefined;
  }

  #callsOf(lifetime: StateLifetime): LifetimeCalls {
    const calls = this.#calls.get(lifetime) ?? new LifetimeCalls(this.#context, lifetime);
    this.#calls.set(lifetime, calls);
    return calls;
  }
}

/** Makes the call if no other process makes it, and everything that others have recorded is known. */
async function untilClaimed(
  { log: { shared } }: CallingEnvironment,
  { id }: DueCall,
  make: () => Promise<void>,
): Promise<void> {
  if (!shared) return make();
  if (!(await shared.claim(id))) return;
  try {
    await shared.readOn();
    await make();
  } finally {
    await shared.release(id);
  }
}

interface FinishedCall {
  call: DueCall;
  outcome: CallOutcome;
  /** False once the state was reset. */
  stillCounts: () => boolean;
}

const TRANSACTION_OPTIONS = { baseUrl: 'http://localhost' };

/** Records all calls that end in one turn of the event loop as one commit. */
class AttemptRecords {
  readonly #kinds: CallKinds;
  readonly #waiting = new Map<CallingEnvironment, { ended: FinishedCall[]; written: Promise<void> }>();

  constructor(kinds: CallKinds) {
    this.#kinds = kinds;
  }

  /** Resolves once the attempt is in the change log. */
  add(environment: CallingEnvironment, ended: FinishedCall): Promise<void> {
    const known = this.#waiting.get(environment);
    if (known) {
      known.ended.push(ended);
      return known.written;
    }
    const batch = [ended];
    const written = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#waiting.delete(environment);
      return untilKept(environment, () => write(environment, batch, this.#kinds));
    });
    this.#waiting.set(environment, { ended: batch, written });
    return written;
  }
}

function write(environment: CallingEnvironment, ended: readonly FinishedCall[], kinds: CallKinds): void {
  const counted = ended.filter(({ stillCounts }) => stillCounts());
  if (counted.length === 0) return;
  environment.transact(TRANSACTION_OPTIONS, (env) => {
    for (const each of counted) writeOne(env, each, kindIn(kinds, each.call.collection));
  });
}

function writeOne(
  env: Env,
  { call: { collection, id }, outcome }: FinishedCall,
  kind: CallKind<RowBase>,
): void {
  const table = anyTable(env, collection);
  const row = table.find(id) as { id: string; attempts: object[] } | undefined;
  if (!row) return;
  // The pushes of identity providers are part of the state hash, which the machine's time must not change.
  const times = {
    time: env.clock.iso(),
    ...(collection !== 'idp_pushes' && { machine_time: new Date(machineTime()).toISOString() }),
  };
  const attempts = [...row.attempts, ...outcome.attempts.map((attempt) => ({ ...times, ...attempt }))];
  const updated = kind.rowAfter({ ...row, attempts } as never, outcome, env) as typeof row;
  table.replace(updated);
  kind.recordConsequences?.(env, updated as never, outcome);
}

/** Runs tasks in order, with a limit for each queue. A blocked queue does not delay others. */
export class Queues {
  readonly #limits = new Map<string, LimitFunction>();

  async run({ name, atOnce }: QueueOptions, task: () => Promise<void>): Promise<void> {
    const limit = this.#limits.get(name) ?? pLimit(atOnce);
    if (limit.concurrency !== atOnce) limit.concurrency = atOnce;
    this.#limits.set(name, limit);
    try {
      await limit(task);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) this.#limits.delete(name);
    }
  }
}
