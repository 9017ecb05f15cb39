import { uptime } from '../world/clock.ts';
import { Refusal, type Allowed } from './allowed.ts';
import type { Outcome, Verdict } from './kind.ts';
import { post, type Answered } from './post.ts';

export interface Message {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface Circumstances {
  allowed: Allowed;
  /** Real milliseconds until it is given up. */
  patience: number;
  /** Nobody wants to know any more. */
  stopping: AbortSignal;
}

/** Real milliseconds until a call is given up, unless somebody has said otherwise. */
export const PATIENCE = 10_000;

/** Sends it; whatever goes wrong is an outcome. */
export async function attempt(message: Message, circumstances: Circumstances): Promise<Outcome> {
  const { patience, stopping, allowed } = circumstances;
  const began = uptime();
  const late = AbortSignal.timeout(patience);
  const result = await post({ ...message, allowed, signal: AbortSignal.any([stopping, late]) }).then(
    told,
    (thrown: Error & { code?: string }) => ({
      verdict: thrown instanceof Refusal ? ('refused' as const) : ('failed' as const),
      error: late.aborted ? `no answer within ${patience / 1000} s` : reasonOf(thrown),
    }),
  );
  const { verdict, ...attempt } = result;
  return { verdict, attempts: [{ duration_ms: Math.round(uptime() - began), ...attempt }] };
}

/** What went wrong with several addresses of a name is in an error without words of its own. */
const reasonOf = ({ message, code, name }: Error & { code?: string }) => message || (code ?? name);

export function told({ status, text }: Answered) {
  const verdict: Verdict = status >= 200 && status < 300 ? 'delivered' : 'failed';
  const isRedirect = status >= 300 && status < 400;
  return {
    verdict,
    status,
    ...(text && { answer: text }),
    ...(isRedirect && { error: 'redirects are not followed' }),
  };
}
