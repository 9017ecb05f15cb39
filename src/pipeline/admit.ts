import type { Operation } from '../contract/compiled.ts';
import type { Environment } from '../environments/environment.ts';
import { ApiError } from '../errors.ts';
import { parseDuration } from '../world/duration.ts';
import type { Keys } from '../world/keys.ts';
import type { Caller } from '../world/world.ts';
import { authenticate } from './authenticate.ts';
import type { Call } from './call.ts';

/** Whose call it is; throws for a call without a good token, which does not count, and for a call too many. */
export async function admit(
  call: Call,
  operation: Operation,
  environment: Environment,
  keys: Keys,
): Promise<Caller | undefined> {
  const caller = await authenticate(call, operation, environment, keys);
  throttle(environment);
  return caller;
}

function throttle({ tables, rateWindow, clock }: Environment): void {
  const limit = tables.settings.find('settings')?.rate_limit;
  if (!limit) return;
  const { requests, per, retry_after } = limit;
  const wait = rateWindow.admit({ requests, length: parseDuration(per) ?? 0 }, clock.now());
  if (wait === undefined) return;
  const headers = retry_after ? { 'retry-after': String(Math.ceil(wait / 1000)) } : {};
  throw new ApiError('rate_limited', `more than ${requests} requests in ${per}`, { headers });
}
