import type { Operation } from '../contract/compiled.ts';
import type { UncheckedInput } from '../contract/contract.ts';
import type { StateLifetime } from '../environment/activity.ts';
import type { Caller } from '../environment/env.ts';
import type { Environment } from '../environment/environment.ts';
import type { Entry } from '../environment/journal/entry.ts';
import { ApiError, validationError } from '../errors.ts';
import { NO_RULE, type RuleOutcome } from '../scenarios/rule-outcome.ts';
import { type CallFacts, type RuleReply, NO_ANSWER } from '../scenarios/call-facts.ts';
import { admit } from './authenticate.ts';
import { written, type Call, type Reply, type WrittenReply } from './call.ts';
import { findEnvironment, type FoundEnvironment } from './find-environment.ts';
import { conforming, failure, replyTo } from './outcome.ts';
import { perform, type Simulator } from './perform.ts';
import { readRequest, refused, warnings, type ReadRequest } from './read-request.ts';

/** Serves one call: finds operation and environment, authenticates, applies scenarios, checks, runs, and replies. */
export async function serve(call: Call, sim: Simulator): Promise<WrittenReply> {
  const routed = route(call, sim);
  const exchange = open(call, routed, sim); // the journal lists every call, also a failed one
  const { environment, lifetime, entry, unknownEnvironment } = exchange;
  try {
    if (routed instanceof ApiError) throw routed;
    const { operation, request, rejection } = routed;
    if (unknownEnvironment) throw unknownEnvironment;
    entry.body = request.body;

    // Before the rules, so that refused calls use up none.
    const caller = await admit(exchange, operation, sim.keys);
    const script = environment.scenarios.outcomeFor(factsOf(call, operation, request, caller));
    exchange.script = script;
    entry.decision = script.decision;
    const canned = script.apply && (await play(script, exchange));
    if (canned)
      return await whenStored(environment, () =>
        answer(exchange, script, conforming(canned, operation, sim.contract)),
      );

    if (rejection) throw rejection; // an unreadable path, query or body
    const input = check(request, operation, sim, exchange);
    const run = { environment, lifetime, entry, operation, input, caller, call };
    const committed = await perform(run, sim);
    if (!committed) return abandoned(exchange);
    const performed = { call, environment, entry, operation, script };
    const { reply, outcome } = await replyTo(committed, performed, sim, (inner) => serve(inner, sim));
    return answer(exchange, outcome, reply);
  } catch (thrown) {
    return answer(exchange, exchange.script, await failed(thrown, exchange, sim));
  }
}

/** Makes the state changes of the rules and waits. With an outage or a reply, the operation does not run. */
async function play(script: RuleOutcome, { call, entry }: Exchange): Promise<RuleReply | undefined> {
  const canned = await script.apply?.(call);
  if (script.changes) entry.changes = script.changes;
  return canned;
}

/** A failure may show what is not stored too, for example that a row exists. */
async function failed(thrown: unknown, exchange: Exchange, sim: Simulator): Promise<Reply> {
  const storing = exchange.environment.kept();
  const unkept = await storing?.then(
    () => undefined,
    (refusal: unknown) => ApiError.from(refusal),
  );
  return failure(unkept ?? ApiError.from(thrown), exchange, sim);
}

/** Calls `tell` once everything that it may show is stored. */
function whenStored(
  environment: Environment,
  tell: () => WrittenReply,
): WrittenReply | Promise<WrittenReply> {
  const storing = environment.kept();
  return storing ? storing.then(tell) : tell();
}

/** The facts of a call that a scenario's conditions can read. */
function factsOf(
  { protocol, path }: Call,
  operation: Operation,
  { method, params, query, headers, body }: UncheckedInput,
  caller: Caller | undefined,
): CallFacts {
  return { operation, protocol, method, path, params, query, headers, body, caller };
}

interface RoutedCall extends ReadRequest {
  operation: Operation;
}

/** The operation and its request, or the error if there is none. */
function route(call: Call, { contract }: Simulator): RoutedCall | ApiError {
  try {
    const found = call.route ?? contract.router.route(call.method, call.path);
    const { request, rejection } = readRequest(call, found);
    return { operation: found.operation, request, rejection };
  } catch (thrown) {
    return ApiError.from(thrown);
  }
}

interface Exchange extends FoundEnvironment {
  readonly call: Call;
  /** The lifetime of the rows at the start of the call. */
  readonly lifetime: StateLifetime;
  readonly entry: Entry;
  /** Absent if no operation was found. */
  readonly operation: Operation | undefined;
  /** What scenarios do to the call. */
  script: RuleOutcome;
}

function open(call: Call, routed: RoutedCall | ApiError, sim: Simulator): Exchange {
  const found = routed instanceof ApiError ? undefined : routed;
  const { environment, tokens, unknownEnvironment } = findEnvironment(call, sim, found);
  const { journal, clock, activity } = environment;
  const { lifetime } = activity;
  const entry = journal.open(call, clock.now());
  const operation = found?.operation;
  entry.operation = operation?.base;
  entry.binding = operation?.id;
  return { call, environment, tokens, unknownEnvironment, lifetime, entry, operation, script: NO_RULE };
}

/** The input. Throws an error that lists every violation of the contract. */
function check(
  request: UncheckedInput,
  operation: Operation,
  { contract, strict }: Simulator,
  { environment, entry }: Exchange,
) {
  const { input, unknown, violations } = contract.checkRequest(operation, request);
  if (unknown.length > 0) entry.unknown = unknown;
  const broken = (environment.made.strict ?? strict) ? [...violations, ...refused(unknown)] : violations;
  if (broken.length > 0) throw validationError(broken);
  return input;
}

/** The caller disconnected while interceptors were asked, so no answer is sent. */
function abandoned({ entry, script }: Exchange): WrittenReply {
  entry.fault = { ...script.fault, abandoned: true };
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
  if (fault) entry.fault = fault;
  if (breakage?.kind === 'silence') return entry.close({ ...written(NO_ANSWER), breakage });
  const date = environment.clock.httpDate();
  const headers = {
    ...(date && { date }),
    ...(operation?.errorShape === 'oauth' && UNCACHED),
    ...reply.headers,
    ...(entry.unknown.length > 0 && warnings(entry.unknown)),
    'understudy-request-id': entry.id,
  };
  const answered = written({ status: reply.status, headers, body: reply.body });
  if (breakage) answered.breakage = breakage;
  return entry.close(answered);
}
