import type { StateLifetime } from '../journal/activity.ts';
import type { Entry } from '../journal/entry.ts';
import { ApiError, type FailureName } from '../errors.ts';
import type { Replay } from '../recordings/replay.ts';
import type { Call, Reply } from './call.ts';
import type { FoundEnvironment } from './find-environment.ts';

/** The refusals of calls that no operation has. */
const UNKNOWN: ReadonlySet<FailureName> = new Set<FailureName>([
  'route_not_found',
  'method_not_allowed',
  'unimplemented',
]);

interface RefusedCall extends Pick<FoundEnvironment, 'unknownEnvironment'> {
  call: Call;
  lifetime: StateLifetime;
  entry: Entry;
}

/** What a recorded service has answered to a call that no operation has. Throws the refusal if there is no such answer. */
export function replayed(
  { call, lifetime, entry, unknownEnvironment }: RefusedCall,
  refusal: ApiError,
  replay: Replay | undefined,
): Reply {
  if (!replay || unknownEnvironment || !UNKNOWN.has(refusal.failure)) throw refusal;
  const found = replay.answerTo(call, lifetime);
  if (!found) throw new ApiError(refusal.failure, `${refusal.message}${replay.hint(call)}`, refusal.parts);
  const { recording, exchange, status, headers, body } = found;
  entry.replayed = { recording, exchange };
  return { status, headers: { ...headers, 'understudy-replayed': String(exchange) }, body };
}
