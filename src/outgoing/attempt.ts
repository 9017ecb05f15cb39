import type { Keys } from '../world/keys.ts';
import { uptime } from '../world/clock.ts';
import type { Rows } from '../world/schema.ts';
import { post, type Answered } from './post.ts';

type OutgoingCall = Rows['outgoing_calls'];

/** How a call went, but for the time that it was. */
export type Outcome = Omit<OutgoingCall['attempts'][number], 'time'>;

interface Circumstances {
  keys: Keys;
  /** Real milliseconds until it is given up. */
  patience: number;
  /** The process stops. */
  stopping: AbortSignal;
}

/** Makes the call; whatever goes wrong is an outcome. */
export async function attempt(call: OutgoingCall, circumstances: Circumstances): Promise<Outcome> {
  const began = uptime();
  const late = AbortSignal.timeout(circumstances.patience);
  const result = await send(call, circumstances, late).then(told, (thrown: Error & { code?: string }) => ({
    error: late.aborted
      ? `no answer within ${circumstances.patience / 1000} s`
      : thrown.message || (thrown.code ?? thrown.name),
  }));
  return { duration_ms: Math.round(uptime() - began), ...result };
}

export const isDelivered = ({ status = 0 }: Outcome) => status >= 200 && status < 300;

async function send({ url, content }: OutgoingCall, { keys, stopping }: Circumstances, late: AbortSignal) {
  if (!/^https?:$/.test(protocolOf(url))) throw new Error('only http and https addresses are called');
  const logout_token = await keys.sign(content, 'logout+jwt');
  return post({
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token }).toString(),
    signal: AbortSignal.any([stopping, late]),
  });
}

const protocolOf = (url: string) => (URL.canParse(url) ? new URL(url).protocol : '');

function told({ status, text }: Answered): Partial<Outcome> {
  const isRedirect = status >= 300 && status < 400;
  return {
    status,
    ...(text && { answer: text }),
    ...(isRedirect && { error: 'redirects are not followed' }),
  };
}
