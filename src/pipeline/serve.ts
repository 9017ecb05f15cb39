import type { Operation } from '../contract/compiled.ts';
import type { UncheckedInput } from '../contract/contract.ts';
import type { Route } from '../contract/router.ts';
import type { StateLifetime } from '../environment/activity.ts';
import type { Caller } from '../environment/env.ts';
import type { Environment } from '../environment/environment.ts';
import type { Entry } from '../environment/journal/entry.ts';
import { ApiError, validationError } from '../errors.ts';
import { NO_RULE, NO_ANSWER, type RuleOutcome } from '../scenarios/rule-outcome.ts';
import type { CallFacts } from '../scenarios/call-facts.ts';
import { admit } from './authenticate.ts';
import { written, type Call, type Reply, type WrittenReply } from './call.ts';
import { findEnvironment, type FoundEnvironment } from './find-environment.ts';
import { conforming, failure, replyTo } from './outcome.ts';
import { perform, type Simulator } from './perform.ts';
import { readRequest, refused, warnings, type ReadRequest } from './read-request.ts';

/** Serves one call: finds operation and environment, authenticates, applies scenarios, checks, runs, and replies. */
export async function serve(call: Call, sim: Simulator): Promise<WrittenReply> {
  const exchange = open(call, sim); // the journal lists every call, also a failed one
  const { environment, entry, routed, unknownEnvironment } = exchange;
  let script: RuleOutcome = NO_RULE;
  try {
    if (routed instanceof ApiError) throw routed;
    const { operation, params, request, rejection } = routed;
    if (unknownEnvironment) throw unknownEnvironment;
    entry.note({ body: request.body });

    // Before the rules, so that refused calls use up none.
    const caller = await admit(call, operation, environment, sim.keys);
    script = environment.scenarios.outcomeFor(factsOf(call, { operation, params }, request, caller));
    if (script.decision) entry.note({ decision: script.decision });
    // Makes the changes and waits. With an outage or a reply, the operation does not run.
    const canned = await script.apply?.(call);
    if (script.changes) entry.note({ changes: script.changes });
    if (canned)
      return await whenStored(environment, () =>
        answer(exchange, script, conforming(canned, operation, sim.contract)),
      );

    if (rejection) throw rejection; // an unreadable path, query or body
    const input = check(request, operation, sim, exchange);
    const committed = await perform({ ...exchange, operation, input, caller, call }, sim);
    if (!committed) return abandoned(exchange, script);
    const performed = { ...sim, ...exchange, call, operation, script };
    const { reply, outcome } = await replyTo(committed, performed, (inner) => serve(inner, sim));
    return answer(exchange, outcome, reply);
  } catch (thrown) {
    return answer(exchange, script, await failed(thrown, { call, exchange, sim }));
  }
}

interface FailedCall {
  call: Call;
  exchange: Exchange;
  sim: Simulator;
}

/** A failure may show what is not stored too, for example that a row exists. */
async function failed(thrown: unknown, { call, exchange, sim }: FailedCall): Promise<Reply> {
  const storing = exchange.environment.log.kept();
  const unkept = await storing?.then(
    () => undefined,
    (refusal: unknown) => ApiError.from(refusal),
  );
  return failure(unkept ?? ApiError.from(thrown), call, sim, exchange);
}

/** Calls `tell` once everything that it may show is stored. */
function whenStored({ log }: Environment, tell: () => WrittenReply): WrittenReply | Promise<WrittenReply> {
  const storing = log.kept();
  return storing ? storing.then(tell) : tell();
}

/** The facts of a call that a scenario's conditions can read. */
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

/** The operation and its request, or the error if there is none. */
function route(call: Call, { contract }: Simulator): RoutedCall | ApiError {
  try {
    const found = call.route ?? contract.router.route(call.method, call.path);
    return { ...found, ...readRequest(call, found) };
  } catch (thrown) {
    return ApiError.from(thrown);
  }
}

interface Exchange extends FoundEnvironment {
  /** The lifetime of the rows at the start of the call. */
  lifetime: StateLifetime;
  entry: Entry;
  routed: RoutedCall | ApiError;
  /** Absent if no operation was found. */
  operation?: Operation;
}

function open(call: Call, sim: Simulator): Exchange {
  const routed = route(call, sim);
  const found = findEnvironment(call, sim, routed instanceof ApiError ? undefined : routed);
  const { journal, clock, activity } = found.environment;
  const exchange = { ...found, routed, lifetime: activity.lifetime, entry: journal.open(call, clock.now()) };
  if (routed instanceof ApiError) return exchange;
  const { operation } = routed;
  exchange.entry.note({ operation: operation.base, binding: operation.id });
  return { ...exchange, operation };
}

/** The input. Throws an error that lists every violation of the contract. */
function check(
  request: UncheckedInput,
  operation: Operation,
  { contract, strict }: Simulator,
  { environment, entry }: Exchange,
) {
  const { input, unknown, violations } = contract.checkRequest(operation, request);
  if (unknown.length > 0) entry.note({ unknown });
  const broken = (environment.made.strict ?? strict) ? [...violations, ...refused(unknown)] : violations;
  if (broken.length > 0) throw validationError(broken);
  return input;
}

/** The caller disconnected while interceptors were asked, so no answer is sent. */
function abandoned({ entry }: Exchange, { fault }: RuleOutcome): WrittenReply {
  entry.note({ fault: { ...fault, abandoned: true } });
  return entry.close({ ...written(NO_ANSWER), breakage: { kind: 'silence', reset: false } });
}

/** OAuth answers must not be cached (RFC 6749 5.1). */
const UNCACHED = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** The reply that is sent. If a scenario breaks it off, the journal still has the whole reply. */
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
    ...(operation?.errorShape === 'oauth' && UNCACHED),
    ...reply.headers,
    ...(entry.unknown.length > 0 && warnings(entry.unknown)),
    'understudy-request-id': entry.id,
  };
  return entry.close({ ...written({ ...reply, headers }), ...(breakage && { breakage }) });
}
