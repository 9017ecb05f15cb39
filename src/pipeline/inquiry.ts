import type { Environment } from '../environments/environment.ts';
import type { Era } from '../environments/news.ts';
import type { Entry } from '../environments/entry.ts';
import { ApiError, failedPrecondition } from '../errors.ts';
import type { Hearing, Interception } from '../interception/interception.ts';
import { verdictOf } from '../interception/answer.ts';
import type { Question, Unanswered, Verdict } from '../world/question.ts';
import type { Call } from './call.ts';

/** Of one call. */
const MOST_QUESTIONS = 100;

export interface Inquirer {
  environment: Environment;
  /** In which the call came. */
  era: Era;
  entry: Entry;
  caller: Pick<Call, 'signal'>;
}

/** What interceptors are asked in the course of one call, and what they say. */
export class Inquiry {
  readonly verdicts = new Map<string, Verdict>();
  readonly #inquirer: Inquirer;
  readonly #interception: Interception;

  constructor(inquirer: Inquirer, interception: Interception) {
    this.#inquirer = inquirer;
    this.#interception = interception;
  }

  /** Whether there is still anybody who wants to hear of it. What it is good for, the caller has to see. */
  async ask({ question, key, flaw }: Unanswered): Promise<boolean> {
    if (flaw !== undefined) return this.#discard(key, question, flaw);
    const { environment, era, entry, caller } = this.#inquirer;
    const asked = this.verdicts.size;
    if (asked === MOST_QUESTIONS)
      throw failedPrecondition(`more than ${MOST_QUESTIONS} interceptors would have to be asked`);
    const pointless = whenPointless(this.#inquirer);
    try {
      const occasion = { environment, era, id: `${entry.id} ${asked + 1}`, signal: pointless.signal };
      const hearing = await this.#interception.ask(question, occasion);
      if (caller.signal?.aborted) return false;
      if (environment.news.ending === 'stopping') throw new ApiError('unavailable', 'understudy is stopping');
      if (hearing) this.#note(key, hearing);
      return true;
    } finally {
      pointless.forget();
    }
  }

  /** What was answered counts for nothing, and the failure policy decides. */
  #discard(key: string, { interceptor: { failure_policy: policy } }: Question, error: string): true {
    const { entry } = this.#inquirer;
    const { heard } = this.verdicts.get(key)!;
    const verdict = verdictOf({ ...heard, failure: { code: 'UNUSABLE', message: error } }, policy);
    const { decision } = verdict;
    const at = [...this.verdicts.keys()].indexOf(key);
    this.verdicts.set(key, verdict);
    const interceptors = entry.interceptors.map((record, index) =>
      index === at ? { ...record, shown: { ...record.shown, decision, policy, error } } : record,
    );
    entry.note({ interceptors });
    return true;
  }

  #note(key: string, { verdict, record }: Hearing): void {
    const { entry } = this.#inquirer;
    this.verdicts.set(key, verdict);
    if (record) entry.note({ interceptors: [...entry.interceptors, record] });
  }
}

/** Aborts when no answer is of use any more: the caller has left, the rows were put back, or the process stops. */
function whenPointless({ environment: { news }, era, caller: { signal } }: Inquirer) {
  const over = new AbortController();
  const look = () => {
    if (era.over || news.ending) over.abort();
  };
  const forget = news.listen(look);
  look();
  return { signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal, forget };
}
