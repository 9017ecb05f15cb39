import type { Contract, UncheckedInput } from '../contract/contract.ts';
import type { Operation } from '../contract/compiled.ts';
import type { Environment } from '../environment/environment.ts';
import type { Entry } from '../journal/entry.ts';
import type { StateLifetime } from '../journal/activity.ts';
import { looseNotes, looseViolations } from '../contract/loose-formats.ts';
import { ProviderCallNeeded } from '../state/provider-call.ts';
import type { Committed, TransactionOptions } from '../state/units-of-work.ts';
import { ApiError, failedPrecondition, validationError } from '../contract/errors.ts';
import { Answer, CustomReply, Passthrough } from '../operations/handler.ts';
import type { AnyHandler, AnyInput, Handlers } from '../operations/index.ts';
import { InvocationNeeded } from '../state/interceptor-invocation.ts';
import type { Caller, Env } from '../state/env.ts';
import type { Call } from './call.ts';
import type { ProviderCalls } from './provider-calls.ts';
import { refused } from './read-request.ts';
import type { AllowedHosts } from '../webhooks/allowed-hosts.ts';
import type { Invocations } from './invocations.ts';
import type { Environments } from '../environment/environments.ts';
import type { Keys } from '../state/keys.ts';
import { nextTurnIfLarge } from '../scenarios/steps.ts';
import type { Interceptors } from '../interceptors/interceptors.ts';

/** A call whose caller may make it, and that no scenario has answered. */
export interface AdmittedCall {
  environment: Environment;
  /** The lifetime of the rows at the start of the call. */
  lifetime: StateLifetime;
  entry: Entry;
  operation: Operation;
  request: UncheckedInput;
  caller: Caller | undefined;
  call: Call;
  /** Kept when the operation runs again. */
  others: { invocations?: Invocations; provided?: ProviderCalls };
}

/** A call that passed all checks, so that its operation may run. */
interface OperationRun extends AdmittedCall {
  handle: AnyHandler;
  input: AnyInput;
  isStrict: boolean;
}

/**
 * Checks the request and runs the operation in a unit of work. Throws an error that lists every violation of the
 * contract. undefined: the caller disconnected before the operation ran, and nothing has happened.
 */
export async function perform(
  admitted: AdmittedCall,
  sim: Simulator,
): Promise<Committed<unknown> | undefined> {
  const { environment, entry, operation, request, call } = admitted;
  await nextTurnIfLarge(call.body);
  const { input, unknown: unnamed, loose, violations } = sim.contract.checkRequest(operation, request);
  const unknown = call.unknown?.length ? [...call.unknown, ...unnamed] : unnamed;
  if (unknown.length > 0) entry.unknown = unknown;
  if (loose.length > 0) entry.loose = loose;
  const isStrict = environment.made.strict ?? sim.strict;
  const broken = isStrict ? [...violations, ...refused(unknown), ...looseViolations(loose)] : violations;
  if (broken.length > 0) throw validationError(broken);
  if (loose.length > 0) entry.notes = [...entry.notes, ...looseNotes(loose)];
  const found = sim.handlers.find(operation.base);
  const handle = found instanceof Promise ? await found : found;
  const run = { ...admitted, handle, input, isStrict };
  await nextTurnIfLarge(call.body);
  try {
    const done = attempt(run, sim.contract, answersIn(run));
    return done instanceof Promise ? await done : done;
  } catch (thrown) {
    if (isNeeded(thrown)) return performWithOthers(thrown, run, sim);
    throw thrown;
  }
}

/**
 * An interceptor or another server is needed, and the unit of work was undone: makes the call, and runs the operation
 * again with its answer.
 */
async function performWithOthers(
  first: Needed,
  run: OperationRun,
  sim: Simulator,
): Promise<Committed<unknown> | undefined> {
  const { others } = run;
  for (let needed = first; ;) {
    if (needed instanceof InvocationNeeded) {
      others.invocations ??= await invocationsOf(run, sim);
      if (!(await others.invocations.ask(needed))) return undefined;
    } else {
      others.provided ??= await providerCallsOf(run, sim);
      if (!(await others.provided.make(needed))) return undefined;
    }
    try {
      return await attempt(run, sim.contract, answersIn(run));
    } catch (thrown) {
      if (!isNeeded(thrown)) throw thrown;
      needed = thrown;
    }
  }
}

/** What other servers have answered so far. */
type AnswersOfOthers = Pick<TransactionOptions, 'outcomes' | 'provided'>;

const answersIn = ({ others: { invocations, provided } }: OperationRun): AnswersOfOthers => ({
  outcomes: invocations?.outcomes,
  provided: provided?.outcomes,
});

/** What a unit of work needs from another server before it can run. */
type Needed = InvocationNeeded | ProviderCallNeeded;

const isNeeded = (value: unknown): value is Needed =>
  value instanceof InvocationNeeded || value instanceof ProviderCallNeeded;

/**
 * Runs the handler in a unit of work. An output that breaks the contract undoes the unit. HEAD is safe (RFC 9110
 * 9.2.1), so its unit is undone: a link preview must not use up a single-use link. Throws `Needed`.
 */
function attempt(
  run: OperationRun,
  contract: Contract,
  known?: AnswersOfOthers,
): Committed<unknown> | Promise<Committed<unknown>> {
  const { environment, lifetime, operation, handle, input, isStrict, caller, call } = run;
  const { baseUrl, address: callerAddress } = call;
  const leavesNothing = call.method === 'HEAD';
  const context = { caller, callerAddress, baseUrl, isStrict, leavesNothing, ...known };
  return environment.transactInTurns(context, (env) => {
    if (lifetime.endedBy) throw stateWasReplaced(environment, lifetime);
    const output = outputOf(handle, input, env);
    if (output instanceof CustomReply) checkCustomReply(output, operation, contract);
    else if (!(output instanceof ApiError)) contract.checkResponse(operation, operation.status, output);
    return output;
  });
}

/** The handler's output, or its error if that does not undo what the handler wrote. Throws other errors. */
function outputOf(handle: AnyHandler, input: AnyInput, env: Env): unknown {
  try {
    return handle(input, env);
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.parts.writesStand) return thrown;
    throw thrown;
  }
}

/** Throws `contract_violation` for a reply that the contract does not declare. */
function checkCustomReply(reply: CustomReply, operation: Operation, contract: Contract): void {
  const { status, headers, body } = reply;
  if (reply instanceof Passthrough) return contract.checkResponse(operation, status, body ?? '');
  if (body === undefined || reply instanceof Answer) return contract.checkResponse(operation, status, body);
  contract.checkMediaType(operation, status, String(headers['content-type']));
}

/** The code for interceptors is loaded at its first use. */
async function invocationsOf(run: OperationRun, sim: Simulator): Promise<Invocations> {
  const { environment, lifetime, entry, call } = run;
  const { Invocations } = await import('./invocations.ts');
  return new Invocations({ environment, lifetime, entry, caller: call }, await sim.interceptors());
}

/** Loaded at its first use, like the code for interceptors. */
async function providerCallsOf(run: OperationRun, sim: Simulator): Promise<ProviderCalls> {
  const { ProviderCalls } = await import('./provider-calls.ts');
  return new ProviderCalls({ ...run, caller: run.call }, await sim.allowedHosts());
}

/** The rows of the call's environment were replaced, and the call must not write into the new ones. */
const stateWasReplaced = ({ name }: Environment, { endedBy: over }: StateLifetime) =>
  failedPrecondition(`environment ${name} was ${over} while this call waited: it did nothing`);
/** The parts of a simulator that serving a call needs. */
export interface Simulator {
  readonly contract: Contract;
  readonly handlers: Handlers;
  readonly environments: Environments;
  readonly keys: Keys;
  /** Whether fields that the contract does not name are refused. An environment may override this. */
  readonly strict: boolean;
  /** Calls interceptors. Created at the first use. */
  readonly interceptors: () => Promise<Interceptors>;
  /** The hosts that may be called. */
  readonly allowedHosts: () => Promise<AllowedHosts>;
  /** Logs the cause of an internal error, which the caller must not see. */
  readonly report: (message: string, cause: unknown) => void;
}
