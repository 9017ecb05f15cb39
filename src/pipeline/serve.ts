import { statusAt, type Operation } from '../contract/compiled.ts';
import type { UncheckedInput } from '../contract/contract.ts';
import type { Route } from '../contract/router.ts';
import type { StateLifetime } from '../environment/activity.ts';
import type { Caller } from '../environment/env.ts';
import type { Environment } from '../environment/environment.ts';
import { DEFAULT_ENVIRONMENT } from '../environment/environments.ts';
import type { Entry } from '../environment/journal/entry.ts';
import { ApiError, validationError } from '../errors.ts';
import { NO_RULE, NO_ANSWER, type RuleOutcome } from '../scenarios/rule-outcome.ts';
import type { RuleReply, CallFacts } from '../scenarios/call-facts.ts';
import { admit } from './authenticate.ts';
import { written, type Call, type Reply, type WrittenReply } from './call.ts';
import { findEnvironment } from './find-environment.ts';
import { failure, replyOf } from './outcome.ts';
import { perform, type Simulator } from './perform.ts';
import { readRequest, refused, warnings, type ReadRequest } from './read-request.ts';

/** Every request comes down this function and back up. */
export async function serve(call: Call, sim: Simulator): Promise<WrittenReply> {
  const exchange = open(call, sim); // seen, whatever happens below
  const { environment, entry, routed, stray } = exchange;
  let script: RuleOutcome = NO_RULE;
  try {
    if (routed instanceof ApiError) throw routed;
    const { operation, params, request, rejection } = routed;
    if (stray) throw stray;
    entry.note({ body: request.body });

    const caller = await admit(call, operation, environment, sim.keys); // 401 and 429 first: they use up no rule
    script = environment.scenarios.outcomeFor(factsOf(call, { operation, params }, request, caller));
    if (script.decision) entry.note({ decision: script.decision });
    const canned = await script.apply(call); // its changes, its delay; an outage or a reply: nothing else happens
    if (script.changes) entry.note({ changes: script.changes });
    if (canned) return answer(exchange, script, conforming(canned, operation, sim));

    if (rejection) throw rejection; // what could not even be read
    const input = check(request, operation, sim, exchange);
    const committed = await perform({ ...exchange, operation, input, caller, call }, sim); // interceptors have a say
    if (!committed) return abandoned(exchange, script);
    if (committed.changes.length > 0)
      entry.note({ changes: [...(script.changes ?? []), ...committed.changes] });
    const reply = await replyOf(committed, operation, sim.keys); // signed, and so never inside the unit of work
    const edited = script.edit(reply); // it happened, the caller hears otherwise
    return answer(exchange, script, edited ? conforming(edited, operation, sim) : reply);
  } catch (thrown) {
    const reply = await failure(ApiError.from(thrown), call, sim, exchange);
    return answer(exchange, script, reply);
  }
}

/** What a rule of a scenario may look at. */
function factsOf(
  { protocol, path }: Call,
  { operation, params }: Pick<Route, 'operation' | 'params'>,
  request: UncheckedInput,
  caller?: Caller,
): CallFacts {
  const { method, query, headers, body } = request;
  return { operation, protocol, method, path, params, query, headers, body, caller };
}

type RoutedCall = Route & ReadRequest;

/** Which operation is called, and with what, or why none is. */
function route(call: Call, { contract }: Simulator): RoutedCall | ApiError {
  try {
    const found = call.route ?? contract.route(call.method, call.path);
    return { ...found, ...readRequest(call, found) };
  } catch (thrown) {
    return ApiError.from(thrown);
  }
}

interface Exchange {
  environment: Environment;
  /** In which the call came. */
  lifetime: StateLifetime;
  entry: Entry;
  routed: RoutedCall | ApiError;
  /** Why the call belongs to no environment. */
  stray?: ApiError;
  /** Once it is known. */
  operation?: Operation;
}

function open(call: Call, sim: Simulator): Exchange {
  const routed = route(call, sim);
  const found = find(call, routed, sim);
  const { journal, clock, activity } = found.environment;
  const exchange = { ...found, routed, lifetime: activity.lifetime, entry: journal.open(call, clock.now()) };
  if (routed instanceof ApiError) return exchange;
  const { operation } = routed;
  exchange.entry.note({ operation: operation.base, binding: operation.id });
  return { ...exchange, operation };
}

/** A call that names no environment of ours is refused, and journaled where everyone may look. */
function find(
  call: Call,
  routed: RoutedCall | ApiError,
  { environments }: Simulator,
): Pick<Exchange, 'environment' | 'stray'> {
  try {
    const known = routed instanceof ApiError ? undefined : routed;
    return { environment: findEnvironment(call, environments, known) };
  } catch (thrown) {
    return { environment: environments.get(DEFAULT_ENVIRONMENT), stray: ApiError.from(thrown) };
  }
}

/** The input; throws with every rule of the contract that the request breaks. */
function check(
  request: UncheckedInput,
  operation: Operation,
  { contract, strict }: Simulator,
  { environment, entry }: Exchange,
) {
  const { input, unknown, violations } = contract.checkRequest(operation, request);
  if (unknown.length > 0) entry.note({ unknown });
  const broken = (environment.strict ?? strict) ? [...violations, ...refused(unknown)] : violations;
  if (broken.length > 0) throw validationError(broken);
  return input;
}

/** A scripted answer keeps the contract too, unless its scenario says that it does not. */
function conforming(canned: RuleReply, operation: Operation, { contract }: Simulator): Reply {
  const { headers, body } = canned;
  if (canned.outsideContract)
    return { status: canned.status, headers: { ...headers, 'understudy-contract': 'violated' }, body };
  const status = statusAt(operation, canned.status);
  contract.checkResponse(operation, status, body);
  return { status, headers, body };
}

/** Nobody is there to hear an answer: the caller left while interceptors were asked. */
function abandoned({ entry }: Exchange, { fault }: RuleOutcome): WrittenReply {
  entry.note({ fault: { ...fault, abandoned: true } });
  return entry.close({ ...written(NO_ANSWER), breakage: { kind: 'silence', reset: false } });
}

/** What OAuth answers is a secret, or says whether one is good: nobody keeps it on the way (RFC 6749 5.1). */
const UNKEPT = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** What the caller is sent, whole or broken: the journal has it as it was before it broke. */
function answer(
  { environment, entry, operation }: Exchange,
  { fault, breakage }: RuleOutcome,
  reply: Reply,
): WrittenReply {
  if (fault) entry.note({ fault });
  if (breakage?.kind === 'silence') return entry.close({ ...written(NO_ANSWER), breakage });
  const date = environment.clock.httpDate();
  const headers = {
    ...(date && { date }),
    ...(operation?.errorShape === 'oauth' && UNKEPT),
    ...reply.headers,
    ...(entry.unknown.length > 0 && warnings(entry.unknown)),
    'understudy-request-id': entry.id,
  };
  return entry.close({ ...written({ ...reply, headers }), ...(breakage && { breakage }) });
}
