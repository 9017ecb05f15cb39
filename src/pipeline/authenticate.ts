import type { Operation } from '../contract/compiled.ts';
import type { Caller, Rows } from '../state/env.ts';
import type { Environment } from '../environment/environment.ts';
import type { Keys } from '../state/keys.ts';
import { ApiError, unauthenticated } from '../errors.ts';
import { parseDuration } from '../text/duration.ts';
import type { PortalCookies } from '../operations/portal/visit.ts';
import { portalVisitor, type SecuredCall } from './callers.ts';
import { header, type Call } from './call.ts';
import { DIALECTS } from './dialects.ts';

interface FoundCall extends Pick<SecuredCall, 'call' | 'environment' | 'entry'> {
  /** The bearer tokens of the call. */
  tokens: readonly string[];
}

/** The caller. Throws for a call without a valid token, and for an authenticated call over the rate limit. */
export async function admit(
  found: FoundCall,
  operation: Operation,
  keys: Keys,
  cookies?: PortalCookies,
): Promise<Caller | undefined> {
  const { call, environment } = found;
  if (call.caller) return call.caller;
  const caller = operation.secured
    ? (portalVisitor(found, operation, cookies) ?? (await authenticate(found, operation, keys)))
    : undefined;
  const limit = environment.settings?.rate_limit;
  if (limit) throttle(environment, limit);
  return caller;
}

/** The caller that one of the tokens names. Throws `unauthenticated` if none is valid. */
async function authenticate(found: FoundCall, operation: Operation, keys: Keys): Promise<Caller> {
  const { call, tokens } = found;
  const dialect = DIALECTS[operation.dialect];
  const secured = { ...found, operation, keys };
  let refusal: unknown;
  for (const token of tokens) {
    try {
      return await dialect.callerOf(token, secured);
    } catch (thrown) {
      refusal = thrown;
    }
  }
  refusal ??= withoutToken(call);
  if (!(refusal instanceof ApiError) || refusal.failure !== 'unauthenticated') throw refusal;
  const refused = dialect.refusal({ error: refusal, ...found });
  refused.rule ??= refusal.rule;
  throw refused;
}

const withoutToken = (call: Call) =>
  unauthenticated(header(call, 'authorization') ? 'authorization is not a bearer token' : 'Token empty');

type RateLimit = NonNullable<Rows['settings']['rate_limit']>;

function throttle({ rateWindow, clock }: Environment, { requests, per, retry_after }: RateLimit): void {
  const wait = rateWindow.admit({ requests, length: parseDuration(per) ?? 0 }, clock.now());
  if (wait === undefined) return;
  const headers = retry_after ? { 'retry-after': String(Math.ceil(wait / 1000)) } : {};
  throw new ApiError('rate_limited', `more than ${requests} requests in ${per}`, { headers });
}
