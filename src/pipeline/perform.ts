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

/** A call that has come so far that it may change something. */
export interface OperationRun {
  environment: Environment;
  /** In which the call came. */
  lifetime: StateLifetime;
  entry: Entry;
  operation: Operation;
  input: AnyInput;
  caller: Caller | undefined;
  call: Call;
}

/**
 * The operation in its unit of work; where interceptors have a say, it is undone, they are asked, and it runs again with
 * what they have said. undefined: the caller has left meanwhile, and nothing has happened.
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
 * 9.2.1): a program that looks at a link before a person opens it must not use the link up.
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

/** Who asks is loaded when there is something to ask. */
async function invocationsOf(performance: OperationRun, sim: Simulator): Promise<Invocations> {
  const { environment, lifetime, entry, call } = performance;
  const { Invocations } = await import('../interceptors/invocations.ts');
  return new Invocations({ environment, lifetime, entry, caller: call }, await sim.interceptors());
}

/** What the call was meant for has gone: it must not write into the rows that came after. */
const stateWasReplaced = ({ name }: Environment, { endedBy: over }: StateLifetime) =>
  failedPrecondition(`environment ${name} was ${over} while this call waited: it did nothing`);
/** The parts of a simulator that serving a call needs. */
export interface Simulator {
  readonly contract: Contract;
  readonly handlers: Handlers;
  readonly environments: Environments;
  readonly keys: Keys;
  /** Fields that the contract does not name are refused, not dropped; an environment may say otherwise. */
  readonly strict: boolean;
  /** Who asks interceptors; made when there is one to ask. */
  readonly interceptors: () => Promise<Interceptors>;
  /** Told of what the caller must not hear: the cause of a failure of ours. */
  readonly report: (message: string, cause: unknown) => void;
}
