import type { Contract } from '../contract/contract.ts';
import type { Operation } from '../contract/compiled.ts';
import type { Environment } from '../environment/environment.ts';
import type { Entry } from '../environment/journal/entry.ts';
import type { StateLifetime } from '../environment/activity.ts';
import type { Committed } from '../environment/unit-of-work.ts';
import { ApiError, failedPrecondition } from '../errors.ts';
import { CustomReply, Passthrough } from '../operations/custom-reply.ts';
import type { AnyHandler, AnyInput, Handlers } from '../operations/index.ts';
import { InvocationNeeded, type InterceptorOutcomes } from '../environment/interceptor-invocation.ts';
import type { Caller, Env } from '../environment/env.ts';
import type { Call } from './call.ts';
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

/**
 * Runs the operation in a unit of work. If an interceptor must be asked, the unit is undone, the interceptor is called,
 * and the operation runs again with its answer. undefined: the caller disconnected meanwhile, and nothing has happened.
 */
export async function perform(
  performance: OperationRun,
  sim: Simulator,
): Promise<Committed<unknown> | undefined> {
  const { environment, lifetime, operation } = performance;
  const handle = await sim.handlers.find(operation.base);
  let invocations: Invocations | undefined;
  for (;;) {
    if (lifetime.endedBy) throw stateWasReplaced(environment, lifetime);
    const outcome = attempt(handle, performance, sim.contract, invocations?.outcomes);
    if (!(outcome instanceof InvocationNeeded)) return outcome;
    invocations ??= await invocationsOf(performance, sim);
    if (!(await invocations.ask(outcome))) return undefined;
  }
}

/**
 * Runs the handler in a unit of work. An output that breaks the contract undoes the unit. HEAD is safe (RFC 9110
 * 9.2.1), so its unit is undone: a link preview must not use up a single-use link.
 */
function attempt(
  handle: AnyHandler,
  { environment, operation, input, caller, call }: OperationRun,
  contract: Contract,
  outcomes: InterceptorOutcomes | undefined,
): Committed<unknown> | InvocationNeeded {
  const context = { caller, baseUrl: call.baseUrl, leavesNothing: call.method === 'HEAD', outcomes };
  try {
    return environment.transact(context, (env) => {
      const output = outputOf(handle, input, env);
      checkOutput(output, operation, contract);
      return output;
    });
  } catch (thrown) {
    if (thrown instanceof InvocationNeeded) return thrown;
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
  /** Logs the cause of an internal error, which the caller must not see. */
  readonly report: (message: string, cause: unknown) => void;
}
