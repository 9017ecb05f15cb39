import type { Environment } from '../environment/environment.ts';
import type { StateLifetime } from '../journal/activity.ts';
import type { Entry } from '../journal/entry.ts';
import { ApiError, failedPrecondition } from '../contract/errors.ts';
import type { RecordedOutcome, Interceptors } from '../interceptors/interceptors.ts';
import { outcomeOfReply } from '../interceptors/answer.ts';
import type {
  InterceptorInvocation,
  InvocationNeeded,
  InterceptorOutcome,
} from '../state/interceptor-invocation.ts';
import type { Call } from './call.ts';

/** Interceptor calls that one call to the service may cause. */
const MAX_INVOCATIONS = 100;

export interface InvokingCall {
  environment: Environment;
  /** The lifetime of the state in which the call arrived. */
  lifetime: StateLifetime;
  entry: Entry;
  caller: Pick<Call, 'signal'>;
}

/** Asks interceptors during one call to the service and keeps their outcomes. */
export class Invocations {
  readonly outcomes = new Map<string, InterceptorOutcome>();
  readonly #invoker: InvokingCall;
  readonly #interceptors: Interceptors;

  constructor(invoker: InvokingCall, interceptors: Interceptors) {
    this.#invoker = invoker;
    this.#interceptors = interceptors;
  }

  /** Resolves to false if the caller has left. */
  async ask({ invocation, key, flaw }: InvocationNeeded): Promise<boolean> {
    if (flaw !== undefined) return this.#applyFailurePolicy(key, invocation, flaw);
    const { environment, lifetime, entry, caller } = this.#invoker;
    await environment.log.kept();
    const asked = this.outcomes.size;
    if (asked === MAX_INVOCATIONS)
      throw failedPrecondition(`more than ${MAX_INVOCATIONS} interceptors would have to be asked`);
    const useless = abortWhenUseless(this.#invoker);
    try {
      const context = { environment, lifetime, id: `${entry.id} ${asked + 1}`, signal: useless.signal };
      const recorded = await this.#interceptors.call(invocation, context);
      if (caller.signal?.aborted) return false;
      if (environment.activity.endReason === 'stopping')
        throw new ApiError('unavailable', 'understudy is stopping');
      if (recorded) this.#note(key, recorded);
      return true;
    } finally {
      useless.unsubscribe();
    }
  }

  /** Replaces an answer that cannot be applied with what the failure policy decides. */
  #applyFailurePolicy(
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
    const records = entry.interceptors.map((record, index) =>
      index === at ? { ...record, shown: { ...record.shown, decision, policy, error } } : record,
    );
    entry.interceptors = records;
    return true;
  }

  #note(key: string, { outcome, record }: RecordedOutcome): void {
    const { entry } = this.#invoker;
    this.outcomes.set(key, outcome);
    if (record) entry.interceptors = [...entry.interceptors, record];
  }
}

/** Aborts when nobody needs the answer: the caller left, the environment was reset or the process stops. */
export function abortWhenUseless({ environment: { activity }, lifetime, caller: { signal } }: InvokingCall) {
  const controller = new AbortController();
  const check = () => {
    if (lifetime.endedBy || activity.endReason) controller.abort();
  };
  const unsubscribe = activity.subscribe(check);
  check();
  return { signal: signal ? AbortSignal.any([signal, controller.signal]) : controller.signal, unsubscribe };
}
