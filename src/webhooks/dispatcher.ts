import type { StateLifetime } from '../environment/activity.ts';
import { isDue, type DueCall } from '../environment/due-calls.ts';
import type { Env } from '../environment/env.ts';
import type { Environment } from '../environment/environment.ts';
import { plain } from '../environment/rows/cascade.ts';
import type { RowBase } from '../environment/rows/table-seed.ts';
import type { CallContext, Outcome } from './call-kind.ts';
import { CALL_KINDS } from './call-kinds.ts';
import { Queues } from './queues.ts';

/** A call to be made, and the time of the environment that it belongs to. */
export interface QueuedCall {
  environment: Environment;
  lifetime: StateLifetime;
  call: DueCall;
}

/** What goes on in one time of an environment: what hangs from before a reset is cut off, and delays nothing after it. */
class LifetimeCalls {
  readonly context: CallContext;
  readonly queues = new Queues();
  /** What runs or waits, by its id, and whether it was asked for again meanwhile. */
  readonly known = new Map<string, { again: boolean }>();
  /** What needs nobody else, and so ends soon. */
  readonly local = new Set<Promise<void>>();

  constructor(context: CallContext, lifetime: StateLifetime) {
    this.context = { ...context, stopping: AbortSignal.any([context.stopping, lifetime.signal]) };
  }
}

/**
 * Makes the calls that wait, some at once in each lane, and has written down how they went. One that is cut off by the
 * end of the process goes on waiting; one whose environment was put back meanwhile is forgotten.
 */
export class Dispatcher {
  readonly #context: CallContext;
  readonly #stop = new AbortController();
  readonly #records = new AttemptRecords();
  readonly #underWay = new Set<Promise<void>>();
  readonly #rounds = new WeakMap<StateLifetime, LifetimeCalls>();

  constructor(context: Omit<CallContext, 'stopping'>) {
    this.#context = { ...context, stopping: this.#stop.signal };
  }

  take(queued: readonly QueuedCall[]): void {
    for (const order of queued) this.#begin(order);
  }

  /** What is under way there and needs nobody else. */
  local({ activity }: Environment): ReadonlySet<Promise<void>> | undefined {
    return this.#rounds.get(activity.lifetime)?.local;
  }

  /** Waits for what is under way, and cuts it off. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#underWay);
  }

  #begin(order: QueuedCall): void {
    const row = this.#waiting(order);
    if (!row) return;
    const { queues, known, local } = this.#roundOf(order.lifetime);
    const { collection, id } = order.call;
    const running = known.get(id);
    if (running) return void (running.again = true);
    const state = { again: false };
    known.set(id, state);
    const { tables } = order.environment;
    const group = CALL_KINDS[collection].isLocal(row, tables) ? local : this.#underWay;
    const going = queues
      .run(CALL_KINDS[collection].queueOf(row, tables), () => this.#go(order))
      .catch((thrown: unknown) => this.#context.report(`call ${id}`, thrown))
      .finally(() => {
        known.delete(id);
        group.delete(going);
        if (state.again) this.#begin(order);
      });
    group.add(going);
  }

  async #go(order: QueuedCall): Promise<void> {
    const row = this.#waiting(order);
    if (!row) return;
    const { environment, call } = order;
    const { context } = this.#roundOf(order.lifetime);
    const outcome = await CALL_KINDS[call.collection].attempt(row, environment, context);
    const counts = () => this.#waiting(order) !== undefined;
    if (counts()) await this.#records.add(environment, { call, outcome, counts });
  }

  /** Undefined where it is not to be made any more. */
  #waiting({ environment, lifetime, call: { collection, id } }: QueuedCall): RowBase | undefined {
    if (lifetime.endedBy || this.#stop.signal.aborted) return undefined;
    const row = plain(environment.tables, collection).find(id);
    return row && isDue(collection, row) ? row : undefined;
  }

  #roundOf(lifetime: StateLifetime): LifetimeCalls {
    const round = this.#rounds.get(lifetime) ?? new LifetimeCalls(this.#context, lifetime);
    this.#rounds.set(lifetime, round);
    return round;
  }
}

/** How an errand went, to be written down. */
export interface FinishedCall {
  call: DueCall;
  outcome: Outcome;
  /** Whether it still counts: the rows may have been put back by then. */
  counts: () => boolean;
}

/** Calls are made on the service's own account, not on that of a caller. */
const OWN = { baseUrl: 'http://localhost' };

/** Writes down what ends in one turn of the event loop as one commit. */
export class AttemptRecords {
  readonly #waiting = new Map<Environment, { ended: FinishedCall[]; written: Promise<void> }>();

  /** Resolves once it is in the change log. */
  add(environment: Environment, ended: FinishedCall): Promise<void> {
    const known = this.#waiting.get(environment);
    if (known) {
      known.ended.push(ended);
      return known.written;
    }
    const batch = [ended];
    const written = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#waiting.delete(environment);
      write(environment, batch);
    });
    this.#waiting.set(environment, { ended: batch, written });
    return written;
  }
}

function write(environment: Environment, ended: readonly FinishedCall[]): void {
  const standing = ended.filter(({ counts }) => counts());
  if (standing.length === 0) return;
  environment.transact(OWN, (env) => {
    for (const each of standing) writeOne(env, each);
  });
}

function writeOne(env: Env, { call: { collection, id }, outcome }: FinishedCall): void {
  const table = plain(env, collection);
  const row = table.find(id) as { id: string; attempts: object[] } | undefined;
  if (!row) return;
  const time = env.clock.iso();
  const attempts = [...row.attempts, ...outcome.attempts.map((attempt) => ({ time, ...attempt }))];
  const kind = CALL_KINDS[collection];
  const tried = kind.after({ ...row, attempts } as never, outcome, env.clock.ms) as typeof row;
  table.replace(tried);
  kind.follow?.(env, tried as never, outcome);
}
