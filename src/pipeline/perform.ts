import type { Contract } from '../contract/contract.ts';
import type { Operation } from '../contract/compiled.ts';
import type { Environment } from '../environment/environment.ts';
import type { Entry } from '../environment/journal/entry.ts';
import type { StateLifetime } from '../environment/activity.ts';
import { ProviderCallNeeded } from '../environment/provider-call.ts';
import type { Committed, TransactionOptions } from '../environment/unit-of-work.ts';
import { ApiError, failedPrecondition } from '../errors.ts';
import { CustomReply, Passthrough } from '../operations/custom-reply.ts';
import type { AnyHandler, AnyInput, Handlers } from '../operations/index.ts';
import { InvocationNeeded } from '../environment/interceptor-invocation.ts';
import type { Caller, Env } from '../environment/env.ts';
import type { Call } from './call.ts';
import type { ProviderCalls } from './provider-calls.ts';
import type { AllowedHosts } from '../webhooks/allowed-hosts.ts';
import type { Invocations } from '../interceptors/invocations.ts';
import type { Environments } from '../environment/environments.ts';
import type { Keys } from '../environment/keys.ts';
import type { Interceptors } from '../interceptors/interceptors.ts';

/** A call that passed all checks, so that its operation may run. */
export interface OperationRun {
  environment: Environment;
  /** The lifetime of the rows at the start of the call. */
  lifetime: StateLifetime;
  entry: Entry;
  operation: Operation;
  input: AnyInput;
  caller: Caller | undefined;
  call: Call;
}

/** Runs the operation in a unit of work. undefined: the caller disconnected before that, and nothing has happened. */
export async function perform(run: OperationRun, sim: Simulator): Promise<Committed<unknown> | undefined> {
  const found = sim.handlers.find(run.operation.base);
  const handle = found instanceof Promise ? await found : found;
  const outcome = attempt(handle, run, sim.contract);
  return isNeeded(outcome) ? performWithOthers(outcome, handle, run, sim) : outcome;
}

/**
 * An interceptor or another server is needed, and the unit of work was undone: makes the call, and runs the operation
 * again with its answer.
 */
async function performWithOthers(
  needed: Needed,
  handle: AnyHandler,
  run: OperationRun,
  sim: Simulator,
): Promise<Committed<unknown> | undefined> {
  let invocations: Invocations | undefined;
  let provided: ProviderCalls | undefined;
  for (let outcome: Committed<unknown> | Needed = needed; ;) {
    if (outcome instanceof InvocationNeeded) {
      invocations ??= await invocationsOf(run, sim);
      if (!(await invocations.ask(outcome))) return undefined;
    } else if (outcome instanceof ProviderCallNeeded) {
      provided ??= await providerCallsOf(run, sim);
      if (!(await provided.make(outcome))) return undefined;
    } else return outcome;
    const known = { outcomes: invocations?.outcomes, provided: provided?.outcomes };
    outcome = attempt(handle, run, sim.contract, known);
  }
}

/** What other servers have answered so far. */
type AnswersOfOthers = Pick<TransactionOptions, 'outcomes' | 'provided'>;

/** What a unit of work needs from another server before it can run. */
type Needed = InvocationNeeded | ProviderCallNeeded;

const isNeeded = (value: unknown): value is Needed =>
  value instanceof InvocationNeeded || value instanceof ProviderCallNeeded;

/**
 * Runs the handler in a unit of work. An output that breaks the contract undoes the unit. HEAD is safe (RFC 9110
 * 9.2.1), so its unit is undone: a link preview must not use up a single-use link.
 */
function attempt(
  handle: AnyHandler,
  { environment, lifetime, operation, input, caller, call }: OperationRun,
  contract: Contract,
  known?: AnswersOfOthers,
): Committed<unknown> | Needed {
  if (lifetime.endedBy) throw stateWasReplaced(environment, lifetime);
  const context = { caller, baseUrl: call.baseUrl, leavesNothing: call.method === 'HEAD', ...known };
  try {
    return environment.transact(context, (env) => {
      const output = outputOf(handle, input, env);
      checkOutput(output, operation, contract);
      return output;
    });
  } catch (thrown) {
    if (isNeeded(thrown)) return thrown;
    throw thrown;
  }
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

/** Throws `contract_violation` for an output that the contract does not declare. */
function checkOutput(output: unknown, operation: Operation, contract: Contract): void {
  if (output instanceof ApiError) return;
  if (!(output instanceof CustomReply)) return contract.checkResponse(operation, operation.status, output);
  const { status, headers, body } = output;
  if (output instanceof Passthrough) return contract.checkResponse(operation, status, body ?? '');
  if (body === undefined) return contract.checkResponse(operation, status, body);
  contract.checkMediaType(operation, status, String(headers['content-type'] ?? 'application/json'));
}

/** The code for interceptors is loaded at its first use. */
async function invocationsOf(performance: OperationRun, sim: Simulator): Promise<Invocations> {
  const { environment, lifetime, entry, call } = performance;
  const { Invocations } = await import('../interceptors/invocations.ts');
  return new Invocations({ environment, lifetime, entry, caller: call }, await sim.interceptors());
}

/** Loaded at its first use, like the code for interceptors. */
async function providerCallsOf(performance: OperationRun, sim: Simulator): Promise<ProviderCalls> {
  const { ProviderCalls } = await import('./provider-calls.ts');
  return new ProviderCalls({ ...performance, caller: performance.call }, await sim.allowedHosts());
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
