import type { FieldViolation } from '../errors.ts';
import type { Rows } from './schema.ts';

/** What an interceptor has to say yes or no to. */
export interface Question {
  interceptor: Rows['interceptors'];
  /** What is sent to it. */
  body: Readonly<Record<string, unknown>>;
  /** Somebody only tries the interceptor out: the body may be anything, and nobody is told. */
  isTrial?: boolean;
  /** Why what the interceptor adds can not be done, if so: that is a failure of the interceptor. */
  flawOf?: ((response: NonNullable<Verdict['response']>) => string | undefined) | undefined;
}

/** What came back from an interceptor. */
export interface Heard {
  /** Of HTTP; absent: there was no answer. */
  status?: number;
  /** The JSON of the answer, where it has some. */
  answer?: unknown;
  /** Why it is no answer to the question. */
  failure?: Failure;
}

export interface Failure {
  /** Such as `TIMEOUT`. */
  code: string;
  message: string;
  /** How the answer breaks the contract. */
  violations?: readonly FieldViolation[];
}

/** What the interceptor decides; its failure policy, where it could not be heard. */
export interface Verdict {
  decision: 'ALLOW' | 'DENY';
  /** For whoever is denied, where the interceptor has said something. */
  message?: string | undefined;
  /** What it adds to what it allows; the contract says what that may be at its trigger point. */
  response?: Readonly<Record<string, unknown>> | undefined;
  heard: Heard;
}

/**
 * Nobody waits in a unit of work: it is undone, the interceptor is asked, and the unit runs again with the verdict in
 * hand.
 */
export class Unanswered extends Error {
  readonly question: Question;
  readonly key: string;
  /** It has been asked, and what it adds can not be done. */
  readonly flaw: string | undefined;

  constructor(question: Question, key: string, flaw?: string) {
    super(`interceptor ${question.interceptor.id} has not been heard yet`);
    this.question = question;
    this.key = key;
    this.flaw = flaw;
  }
}

/** By the interceptor, and the how manieth time it is asked in a unit. */
export type Verdicts = ReadonlyMap<string, Verdict>;

/** Answers the questions of one unit of work with what is known. */
export function answering(verdicts: Verdicts | undefined): (question: Question) => Verdict {
  let asked: Map<string, number> | undefined;
  return (question) => {
    const { id } = question.interceptor;
    const times = (asked ??= new Map<string, number>()).get(id) ?? 0;
    asked.set(id, times + 1);
    const key = `${id} ${times}`;
    const verdict = verdicts?.get(key);
    if (!verdict) throw new Unanswered(question, key);
    const flaw = flawIn(verdict, question);
    if (flaw !== undefined) throw new Unanswered(question, key, flaw);
    return verdict;
  };
}

function flawIn({ decision, response, heard }: Verdict, { flawOf }: Question): string | undefined {
  return decision === 'ALLOW' && !heard.failure ? flawOf?.(response ?? {}) : undefined;
}

/** For who only wants to see what would be answered: nobody else hears of it. */
export const assumeYes = (): Verdict => ({ decision: 'ALLOW', heard: {} });
