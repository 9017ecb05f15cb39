import type { StateLifetime } from '../environment/activity.ts';
import type { Environment } from '../environment/environment.ts';
import type { InterceptorFailure, InterceptorReply } from '../environment/interceptor-invocation.ts';
import { HostRefused, type AllowedHosts } from '../webhooks/allowed-hosts.ts';
import { postOnce, type HttpAnswer, type HttpRequest } from '../webhooks/http-client.ts';

/** Of an answer, in bytes. */
const MOST_READ = 65_536;

/** On what a call depends. */
export interface SendOptions {
  environment: Environment;
  lifetime: StateLifetime;
  /** Whom it may call. */
  allowed: AllowedHosts;
  timeout: Timeout;
  /** Ends everything that is under way. */
  signal: AbortSignal;
}

/** Sends it once. Throws `Unheard` where there is no answer, or more of it than anybody means to say. */
export async function send(
  request: Pick<HttpRequest, 'url' | 'headers' | 'body'>,
  { allowed, signal, timeout }: SendOptions,
): Promise<HttpAnswer> {
  const { url } = request;
  const answered = await postOnce({ ...request, allowed, signal, most: MOST_READ }).catch(
    (thrown: NetworkError) => {
      if (thrown instanceof HostRefused)
        throw new InterceptorUnreachable('ADDRESS_REFUSED', `${url}: ${thrown.message}`);
      if (timeout.signal.aborted)
        throw new InterceptorUnreachable(
          'TIMEOUT',
          `${url} did not answer within ${timeout.milliseconds} ms`,
        );
      throw new InterceptorUnreachable(
        'UNREACHABLE',
        `${url} can not be reached: ${thrown.message || (thrown.code ?? '')}`,
      );
    },
  );
  const { status, isCut } = answered;
  if (isCut)
    throw new InterceptorUnreachable('TOO_LARGE', `${url} answered more than ${MOST_READ} bytes`, { status });
  return answered;
}

/** In real time. */
export interface Timeout {
  milliseconds: number;
  signal: AbortSignal;
}

type NetworkError = Error & { code?: string };

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The interceptor could not be heard, or what it said is no answer. */
export class InterceptorUnreachable extends Error {
  readonly code: string;
  readonly parts: Pick<InterceptorReply, 'status' | 'answer'> & Pick<InterceptorFailure, 'violations'>;

  constructor(code: string, message: string, parts: InterceptorUnreachable['parts'] = {}) {
    super(message);
    this.code = code;
    this.parts = parts;
  }
}
