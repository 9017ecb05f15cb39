import type { Environment } from '../environments/environment.ts';
import type { Era } from '../environments/news.ts';
import { Refusal, type Allowed } from '../outgoing/allowed.ts';
import { post, type Answered, type Letter } from '../outgoing/post.ts';
import { Unheard } from './unheard.ts';

/** Of an answer, in bytes. */
const MOST_READ = 65_536;

/** On what a call depends. */
export interface Circumstances {
  environment: Environment;
  era: Era;
  /** Whom it may call. */
  allowed: Allowed;
  patience: Patience;
  /** Ends everything that is under way. */
  signal: AbortSignal;
}

/** Sends it once. Throws `Unheard` where there is no answer, or more of it than anybody means to say. */
export async function send(
  letter: Pick<Letter, 'url' | 'headers' | 'body'>,
  { allowed, signal, patience }: Circumstances,
): Promise<Answered> {
  const { url } = letter;
  const answered = await post({ ...letter, allowed, signal, most: MOST_READ }).catch((thrown: Unreached) => {
    if (thrown instanceof Refusal) throw new Unheard('ADDRESS_REFUSED', `${url}: ${thrown.message}`);
    if (patience.signal.aborted)
      throw new Unheard('TIMEOUT', `${url} did not answer within ${patience.milliseconds} ms`);
    throw new Unheard('UNREACHABLE', `${url} can not be reached: ${thrown.message || (thrown.code ?? '')}`);
  });
  const { status, isCut } = answered;
  if (isCut) throw new Unheard('TOO_LARGE', `${url} answered more than ${MOST_READ} bytes`, { status });
  return answered;
}

/** In real time. */
export interface Patience {
  milliseconds: number;
  signal: AbortSignal;
}

type Unreached = Error & { code?: string };

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
