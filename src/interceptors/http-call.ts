import type { StateLifetime } from '../journal/activity.ts';
import type { Environment } from '../environment/environment.ts';
import type { InterceptorFailure, InterceptorReply } from '../state/interceptor-invocation.ts';
import { HostRefused, type AllowedHosts } from '../webhooks/allowed-hosts.ts';
import { sendOnce, type HttpAnswer, type HttpRequest } from '../webhooks/http-client.ts';

/** Largest answer that is read, in bytes. */
const MAX_ANSWER_BYTES = 65_536;

export interface SendOptions {
  environment: Environment;
  lifetime: StateLifetime;
  allowed: AllowedHosts;
  timeout: Timeout;
  /** Aborts the call. */
  signal: AbortSignal;
}

/** Sends one request. Throws `InterceptorCallError` if there is no answer, or if it is too large. */
export async function send(
  request: Pick<HttpRequest, 'url' | 'headers' | 'body'>,
  { allowed, signal, timeout }: SendOptions,
): Promise<HttpAnswer> {
  const { url } = request;
  const answer = await sendOnce({ ...request, allowed, signal, maxBytes: MAX_ANSWER_BYTES }).catch(
    (thrown: NetworkError) => {
      if (thrown instanceof HostRefused)
        throw new InterceptorCallError('ADDRESS_REFUSED', `${url}: ${thrown.message}`);
      if (timeout.signal.aborted)
        throw new InterceptorCallError('TIMEOUT', `${url} did not answer within ${timeout.milliseconds} ms`);
      throw new InterceptorCallError(
        'UNREACHABLE',
        `${url} cannot be reached: ${thrown.message || (thrown.code ?? '')}`,
      );
    },
  );
  const { status, isCut } = answer;
  if (isCut)
    throw new InterceptorCallError('TOO_LARGE', `${url} answered more than ${MAX_ANSWER_BYTES} bytes`, {
      status,
    });
  return answer;
}

/** A limit in real time. */
export interface Timeout {
  milliseconds: number;
  signal: AbortSignal;
}

type NetworkError = Error & { code?: string };

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The call to the interceptor failed, or its answer is invalid. */
export class InterceptorCallError extends Error {
  readonly code: string;
  readonly details: Pick<InterceptorReply, 'status' | 'answer'> & Pick<InterceptorFailure, 'violations'>;

  constructor(code: string, message: string, parts: InterceptorCallError['details'] = {}) {
    super(message);
    this.code = code;
    this.details = parts;
  }
}
