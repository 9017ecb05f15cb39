import type { FieldViolation } from '../contract/errors.ts';
import type { Rows } from './env.ts';

/** One call to an interceptor. */
export interface InterceptorInvocation {
  interceptor: Rows['interceptors'];
  body: Readonly<Record<string, unknown>>;
  /** A trial through the control API: the body may be anything, and the journal does not record the call. */
  isTrial?: boolean;
  /** Returns why the interceptor's additions cannot be applied; that counts as a failure of the interceptor. */
  findFlaw?: ((response: NonNullable<InterceptorOutcome['response']>) => string | undefined) | undefined;
}

export interface InterceptorReply {
  /** The HTTP status; undefined: there was no answer. */
  status?: number;
  /** The answer's JSON, if it has any. */
  answer?: unknown;
  /** Why the answer does not count. */
  failure?: InterceptorFailure;
}

export interface InterceptorFailure {
  /** For example `TIMEOUT`. */
  code: string;
  message: string;
  /** How the answer breaks the contract. */
  violations?: readonly FieldViolation[];
}

/** The interceptor's decision, or its failure policy's if the call failed. */
export interface InterceptorOutcome {
  decision: 'ALLOW' | 'DENY';
  /** The interceptor's message for the denied caller. */
  message?: string | undefined;
  /** What the interceptor adds when it allows; the contract of its trigger point says what is permitted. */
  response?: Readonly<Record<string, unknown>> | undefined;
  reply: InterceptorReply;
}

/**
 * A unit of work is synchronous. This error rolls it back; the pipeline asks the interceptor and runs the unit again
 * with the outcome.
 */
export class InvocationNeeded extends Error {
  readonly invocation: InterceptorInvocation;
  readonly key: string;
  /** Why the answer that is already there cannot be applied. */
  readonly flaw: string | undefined;

  constructor(invocation: InterceptorInvocation, key: string, flaw?: string) {
    super(`interceptor ${invocation.interceptor.id} has not been asked yet`);
    this.invocation = invocation;
    this.key = key;
    this.flaw = flaw;
  }
}

/** Keyed by interceptor and by how often this interceptor was asked in the unit of work. */
export type InterceptorOutcomes = ReadonlyMap<string, InterceptorOutcome>;

/** Looks up outcomes for one unit of work; throws `InvocationNeeded` for those that are missing. */
export function outcomeLookup(
  outcomes: InterceptorOutcomes | undefined,
): (invocation: InterceptorInvocation) => InterceptorOutcome {
  let asked: Map<string, number> | undefined;
  return (invocation) => {
    const { id } = invocation.interceptor;
    const times = (asked ??= new Map<string, number>()).get(id) ?? 0;
    asked.set(id, times + 1);
    const key = `${id} ${times}`;
    const outcome = outcomes?.get(key);
    if (!outcome) throw new InvocationNeeded(invocation, key);
    const flaw = flawIn(outcome, invocation);
    if (flaw !== undefined) throw new InvocationNeeded(invocation, key, flaw);
    return outcome;
  };
}

function flawIn(
  { decision, response, reply }: InterceptorOutcome,
  { findFlaw }: InterceptorInvocation,
): string | undefined {
  return decision === 'ALLOW' && !reply.failure ? findFlaw?.(response ?? {}) : undefined;
}

/** For dry runs that must not call anybody. */
export const allowWithoutAsking = (): InterceptorOutcome => ({ decision: 'ALLOW', reply: {} });
