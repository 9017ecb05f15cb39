import type { Cause } from '../contract/cause.ts';
import type { Operation } from '../contract/compiled.ts';
import type { StateLifetime } from '../journal/activity.ts';
import type { Environment } from '../environment/environment.ts';
import type { Entry } from '../journal/entry.ts';
import { ApiError, failedPrecondition } from '../contract/errors.ts';
import { NO_ANSWER, type RuleReply } from '../scenarios/call-facts.ts';
import { NO_RULE, type RuleOutcome } from '../scenarios/rule-outcome.ts';
import { absentService } from './absent-services.ts';
import type { Caller } from '../state/env.ts';
import { admit } from './authenticate.ts';
import { written, type Call, type Reply, type WrittenReply } from './call.ts';
import { findEnvironment, type FoundEnvironment } from './find-environment.ts';
import { answer, conforming, failure, replyTo } from './outcome.ts';
import { perform, type AdmittedCall, type Simulator } from './perform.ts';
import { readRequest, type ReadRequest } from './read-request.ts';
import { untilStored } from '../store/until-stored.ts';

/** Serves one call: finds operation and environment, authenticates, applies scenarios, checks, runs, and replies. */
export async function serve(call: Call, sim: Simulator): Promise<WrittenReply> {
  const exchange = open(call, sim); // the journal lists every call, also a failed one
  const { routed, environment, lifetime, entry } = exchange;
  try {
    if (routed instanceof ApiError) throw routed;
    const { operation, request, rejection } = routed;
    if (exchange.unknownEnvironment) throw exchange.unknownEnvironment;
    if (environment.readOnly !== undefined) throw failedPrecondition(environment.readOnly);
    entry.body = request.body;

    // Before the rules, so that refused calls use up none.
    const { caller, script, canned } = await untilStored(environment, () => decide(exchange, routed, sim));
    if (canned)
      return await whenStored(environment, () =>
        answer(exchange, script, conforming(canned, operation, sim.contract)),
      );

    if (rejection) throw rejection; // an unreadable path, query or body
    const admitted = { call, environment, lifetime, entry, operation, request, caller, script, others: {} };
    const begin = beginning(admitted);
    const performed = await untilStored(environment, async () => {
      begin();
      const committed = await storedFailure(environment, () => perform(admitted, sim));
      return committed && replyTo(committed, admitted, sim, (inner) => serve(inner, sim));
    });
    if (!performed) return abandoned(exchange);
    const { reply, outcome } = performed;
    if (outcome.losesAnswer) throw answerLost();
    return answer(exchange, outcome, reply);
  } catch (thrown) {
    return answer(exchange, exchange.script, await failed(thrown, exchange, sim));
  }
}

interface DecidedCall {
  caller: Caller | undefined;
  script: RuleOutcome;
  /** What a scenario answers in place of the operation. */
  canned: RuleReply | undefined;
}

/** Identifies the caller, and applies scenarios. */
async function decide(
  exchange: Exchange,
  { operation, request }: RoutedCall,
  sim: Simulator,
): Promise<DecidedCall> {
  const { call, environment, entry } = exchange;
  const caller = await admit(exchange, operation, sim.keys, request);
  entry.caller = caller && callerToKeep(caller);
  const { protocol, path, baseUrl } = call;
  const { method, params, query, headers, body } = request;
  const facts = { operation, protocol, method, path, params, query, headers, body, caller, baseUrl };
  const script = environment.scenarios.outcomeFor(facts);
  exchange.script = script;
  entry.decision = script.decision;
  const playing = script.apply && play(script, exchange);
  if (environment.log.shared && script !== NO_RULE) {
    playing?.catch(() => {}); // what is overtaken plays again
    await environment.kept();
  }
  return { caller, script, canned: await playing };
}

/** What a failure may show, for example that a row exists, may be overtaken, too. */
async function storedFailure<T>(environment: Environment, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    if (environment.log.shared) await environment.kept();
    throw thrown;
  }
}

/** Returns what is to be called before each run: it takes back what an earlier one has written into the entry. */
function beginning(admitted: AdmittedCall): () => void {
  const { entry, environment, others } = admitted;
  const { rules, unknown, loose, notes, changes, refusal, calls } = entry;
  let runs = 0;
  return () => {
    runs += 1;
    if (runs === 1) return;
    Object.assign(entry, { rules, unknown, loose, notes, changes, refusal, calls });
    // Others may have reset the environment meanwhile. What was asked of other servers was for the state before.
    if (!others.invocations && !others.provided) admitted.lifetime = environment.activity.lifetime;
  };
}

const callerToKeep = ({ client_id, subject, directory }: Caller) => ({
  client_id,
  ...(subject !== undefined && { subject }),
  ...(directory && { directory_id: directory.id }),
});

interface RoutedCall extends ReadRequest {
  operation: Operation;
}

interface Exchange extends FoundEnvironment {
  readonly call: Call;
  /** The operation and its request, or the error if there is none. */
  readonly routed: RoutedCall | ApiError;
  /** The lifetime of the rows at the start of the call. */
  readonly lifetime: StateLifetime;
  readonly entry: Entry;
  /** Absent if no operation was found. */
  readonly operation: Operation | undefined;
  /** What scenarios do to the call. */
  script: RuleOutcome;
}

function open(call: Call, sim: Simulator): Exchange {
  const routed = route(call, sim);
  const found = routed instanceof ApiError ? undefined : routed;
  const { environment, tokens, unknownEnvironment } = findEnvironment(call, sim, found);
  const { lifetime } = environment.activity;
  const entry = environment.journal.open(call, environment.clock.now());
  entry.start = environment.moments.now;
  const operation = found?.operation;
  entry.operation = operation?.base;
  entry.binding = operation?.id;
  const script = NO_RULE;
  return { call, routed, environment, tokens, unknownEnvironment, lifetime, entry, operation, script };
}

function route(call: Call, { contract }: Simulator): RoutedCall | ApiError {
  if (call.isUnknownRpc)
    return (
      absentService(call.path) ??
      new ApiError('route_not_found', `no operation has the path ${call.path}`, { grpc: 12 })
    );
  try {
    const found = call.route ?? contract.router.route(call.method, call.path);
    const { request, rejection } = readRequest(call, found);
    return { operation: found.operation, request, rejection };
  } catch (thrown) {
    const error = ApiError.from(thrown);
    return error.failure === 'route_not_found' ? (absentService(call.path) ?? error) : error;
  }
}

/** Makes the state changes of the rules and waits. With an outage or a reply, the operation does not run. */
async function play(script: RuleOutcome, { call, entry }: Exchange): Promise<RuleReply | undefined> {
  try {
    return await script.apply?.(call);
  } catch (thrown) {
    throw ApiError.from(thrown).because(SCENARIO);
  } finally {
    if (script.changes) entry.changes = script.changes;
  }
}

/** A failure may show what is not stored too, for example that a row exists. */
async function failed(thrown: unknown, exchange: Exchange, sim: Simulator): Promise<Reply> {
  // With a shared log, all that may be shown is stored by now.
  const { environment } = exchange;
  const storing = environment.log.shared ? undefined : environment.kept();
  const unkept = await storing?.then(
    () => undefined,
    (refusal: unknown) => ApiError.from(refusal),
  );
  const error = unkept ?? ApiError.from(thrown);
  return failure(exchange.script.losesAnswer && isRefusal(error) ? answerLost() : error, exchange, sim);
}

const SCENARIO: Cause = { kind: 'scenario' };

const answerLost = () => new ApiError('unavailable', 'the answer was lost on its way', { why: SCENARIO });

/** Whether the service refused the call, and did not fail by a mistake of its own. */
const isRefusal = ({ failure: name, parts }: ApiError) =>
  parts.cause === undefined && name !== 'contract_violation';

/** Calls `tell` once everything that it may show is stored. */
function whenStored(
  environment: Environment,
  tell: () => WrittenReply,
): WrittenReply | Promise<WrittenReply> {
  const storing = environment.log.shared ? undefined : environment.kept();
  return storing ? storing.then(tell) : tell();
}

/** The caller disconnected while interceptors were asked, so no answer is sent. */
function abandoned({ entry, script }: Exchange): WrittenReply {
  entry.fault = { ...script.fault, abandoned: true };
  return entry.close({ ...written(NO_ANSWER), breakage: { kind: 'silence', reset: false } });
}
