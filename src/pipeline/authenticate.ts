import type { Operation } from '../contract/compiled.ts';
import type { UncheckedInput } from '../contract/contract.ts';
import type { Caller, Rows } from '../state/env.ts';
import type { Environment } from '../environment/environment.ts';
import type { Keys } from '../state/keys.ts';
import { ApiError, OAuthError, unauthenticated } from '../contract/errors.ts';
import { parseDuration } from '@understudy/text/duration';
import { portalVisitor, type SecuredCall } from './callers.ts';
import { header, type Call } from './call.ts';
import { DIALECTS } from './dialects.ts';

interface FoundCall extends Pick<SecuredCall, 'call' | 'environment' | 'entry'> {
  /** The bearer tokens in the headers of the call. */
  tokens: readonly string[];
}

type SentRequest = Pick<UncheckedInput, 'body' | 'cookies'>;

/** The caller. Throws for a call without a valid token, and for an authenticated call over the rate limit. */
export async function admit(
  found: FoundCall,
  operation: Operation,
  keys: Keys,
  request: SentRequest,
): Promise<Caller | undefined> {
  const { call, environment } = found;
  if (call.caller) return call.caller;
  const caller = operation.secured
    ? (portalVisitor(found, operation, request.cookies) ??
      (await authenticate({ ...found, tokens: tokensOf(found, operation, request) }, operation, keys)))
    : undefined;
  const limit = environment.settings?.rate_limit;
  if (limit) throttle(environment, limit);
  return caller;
}

/** The tokens in the headers, or the one in the form where the operation takes it there (RFC 6750 2.2). */
function tokensOf({ tokens }: FoundCall, { environment }: Operation, { body }: SentRequest) {
  const field = environment?.find((mark) => mark.in === 'body' && mark.as === 'token');
  const sent = field && (body as Record<string, unknown> | undefined)?.[field.name];
  const inForm = [sent ?? []]
    .flat()
    .filter((each): each is string => typeof each === 'string' && each !== '');
  if (inForm.length === 0) return tokens;
  if (tokens.length + inForm.length === 1) return inForm;
  throw new OAuthError(
    'invalid_request',
    'the call has several access tokens; send one, in the header or in the form',
  );
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
  refused.why = refusal.why;
  throw refused;
}

const withoutToken = (call: Call) =>
  header(call, 'authorization')
    ? unauthenticated('authorization is not a bearer token')
    : unauthenticated('Token empty').because({
        kind: 'authentication',
        says: 'The call has no token: it has no header authorization',
      });

type RateLimit = NonNullable<Rows['settings']['rate_limit']>;

function throttle({ rateWindow, clock }: Environment, { requests, per, retry_after }: RateLimit): void {
  const wait = rateWindow.admit({ requests, length: parseDuration(per) ?? 0 }, clock.now());
  if (wait === undefined) return;
  const headers = retry_after ? { 'retry-after': String(Math.ceil(wait / 1000)) } : {};
  throw new ApiError('rate_limited', `more than ${requests} requests in ${per}`, { headers });
}
