import type { Environment } from '../environment/environment.ts';
import type { StateLifetime } from '../environment/activity.ts';
import type { Entry } from '../environment/journal/entry.ts';
import { ApiError, failedPrecondition } from '../errors.ts';
import type { RecordedOutcome, Interceptors } from './interceptors.ts';
import { outcomeOfReply } from './answer.ts';
import type {
  InterceptorInvocation,
  InvocationNeeded,
  InterceptorOutcome,
} from '../environment/interceptor-invocation.ts';
import type { Call } from '../pipeline/call.ts';

/** Of one call. */
const MOST_INVOCATIONS = 100;

export interface Invoker {
  environment: Environment;
  /** In which the call came. */
  lifetime: StateLifetime;
  entry: Entry;
  caller: Pick<Call, 'signal'>;
}

/** What interceptors are asked in the course of one call, and what they say. */
export class Invocations {
  readonly outcomes = new Map<string, InterceptorOutcome>();
  readonly #invoker: Invoker;
  readonly #interception: Interceptors;

  constructor(invoker: Invoker, interception: Interceptors) {
    this.#invoker = invoker;
    this.#interception = interception;
  }

  /** Whether there is still anybody who wants to hear of it. What it is good for, the caller has to see. */
  async ask({ invocation, key, flaw }: InvocationNeeded): Promise<boolean> {
    if (flaw !== undefined) return this.#discard(key, invocation, flaw);
    const { environment, lifetime, entry, caller } = this.#invoker;
    const asked = this.outcomes.size;
    if (asked === MOST_INVOCATIONS)
      throw failedPrecondition(`more than ${MOST_INVOCATIONS} interceptors would have to be asked`);
    const pointless = abortedWhenUseless(this.#invoker);
    try {
      const context = { environment, lifetime, id: `${entry.id} ${asked + 1}`, signal: pointless.signal };
      const recorded = await this.#interception.ask(invocation, context);
      if (caller.signal?.aborted) return false;
      if (environment.activity.ending === 'stopping')
        throw new ApiError('unavailable', 'understudy is stopping');
      if (recorded) this.#note(key, recorded);
      return true;
    } finally {
      pointless.forget();
    }
  }

  /** What was answered counts for nothing, and the failure policy decides. */
  #discard(
    key: string,
    { interceptor: { failure_policy: policy } }: InterceptorInvocation,
    error: string,
  ): true {
    const { entry } = this.#invoker;
    const { reply } = this.outcomes.get(key)!;
    const outcome = outcomeOfReply({ ...reply, failure: { code: 'UNUSABLE', message: error } }, policy);
    const { decision } = outcome;
    const at = [...this.outcomes.keys()].indexOf(key);
    this.outcomes.set(key, outcome);
    const interceptors = entry.interceptors.map((record, index) =>
      index === at ? { ...record, shown: { ...record.shown, decision, policy, error } } : record,
    );
    entry.note({ interceptors });
    return true;
  }

  #note(key: string, { outcome, record }: RecordedOutcome): void {
    const { entry } = this.#invoker;
    this.outcomes.set(key, outcome);
    if (record) entry.note({ interceptors: [...entry.interceptors, record] });
  }
}

/** Aborts when no answer is of use any more: the caller has left, the rows were put back, or the process stops. */
function abortedWhenUseless({ environment: { activity }, lifetime, caller: { signal } }: Invoker) {
  const over = new AbortController();
  const look = () => {
    if (lifetime.endedBy || activity.ending) over.abort();
  };
  const forget = activity.subscribe(look);
  look();
  return { signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal, forget };
}
