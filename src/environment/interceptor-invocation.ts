import type { FieldViolation } from '../errors.ts';
import type { Rows } from './rows/schema.ts';

/** What an interceptor has to say yes or no to. */
export interface InterceptorInvocation {
  interceptor: Rows['interceptors'];
  /** What is sent to it. */
  body: Readonly<Record<string, unknown>>;
  /** Somebody only tries the interceptor out: the body may be anything, and nobody is told. */
  isTrial?: boolean;
  /** Why what the interceptor adds can not be done, if so: that is a failure of the interceptor. */
  flawOf?: ((response: NonNullable<InterceptorOutcome['response']>) => string | undefined) | undefined;
}

/** What came back from an interceptor. */
export interface InterceptorReply {
  /** Of HTTP; absent: there was no answer. */
  status?: number;
  /** The JSON of the answer, where it has some. */
  answer?: unknown;
  /** Why it is no answer to the question. */
  failure?: InterceptorFailure;
}

export interface InterceptorFailure {
  /** Such as `TIMEOUT`. */
  code: string;
  message: string;
  /** How the answer breaks the contract. */
  violations?: readonly FieldViolation[];
}

/** What the interceptor decides; its failure policy, where it could not be heard. */
export interface InterceptorOutcome {
  decision: 'ALLOW' | 'DENY';
  /** For whoever is denied, where the interceptor has said something. */
  message?: string | undefined;
  /** What it adds to what it allows; the contract says what that may be at its trigger point. */
  response?: Readonly<Record<string, unknown>> | undefined;
  reply: InterceptorReply;
}

/**
 * Nobody waits in a unit of work: it is undone, the interceptor is asked, and the unit runs again with the verdict in
 * hand.
 */
export class InvocationNeeded extends Error {
  readonly invocation: InterceptorInvocation;
  readonly key: string;
  /** It has been asked, and what it adds can not be done. */
  readonly flaw: string | undefined;

  constructor(invocation: InterceptorInvocation, key: string, flaw?: string) {
    super(`interceptor ${invocation.interceptor.id} has not been heard yet`);
    this.invocation = invocation;
    this.key = key;
    this.flaw = flaw;
  }
}

/** By the interceptor, and the how manieth time it is asked in a unit. */
export type InterceptorOutcomes = ReadonlyMap<string, InterceptorOutcome>;

/** Answers the questions of one unit of work with what is known. */
export function answering(
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
  { flawOf }: InterceptorInvocation,
): string | undefined {
  return decision === 'ALLOW' && !reply.failure ? flawOf?.(response ?? {}) : undefined;
}

/** For who only wants to see what would be answered: nobody else hears of it. */
export const assumeYes = (): InterceptorOutcome => ({ decision: 'ALLOW', reply: {} });
