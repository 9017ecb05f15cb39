import type { Contract } from '../contract/contract.ts';
import type { Operation } from '../contract/compiled.ts';
import type { Environment } from '../environments/environment.ts';
import type { Entry } from '../environments/entry.ts';
import type { Era } from '../environments/news.ts';
import type { Committed } from '../environments/occasion.ts';
import { failedPrecondition } from '../errors.ts';
import type { AnyHandler, AnyInput } from '../operations/index.ts';
import { Unanswered, type Verdicts } from '../world/question.ts';
import type { Caller } from '../world/world.ts';
import type { Call } from './call.ts';
import type { Inquiry } from './inquiry.ts';
import { checkOutcome, outcomeOf } from './outcome.ts';
import type { Simulator } from './serve.ts';

/** A call that has come so far that it may change something. */
export interface Performance {
  environment: Environment;
  /** In which the call came. */
  era: Era;
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
  performance: Performance,
  sim: Simulator,
): Promise<Committed<unknown> | undefined> {
  const { environment, era, operation } = performance;
  const handle = await sim.handlers.find(operation.base);
  let inquiry: Inquiry | undefined;
  for (;;) {
    if (era.over) throw tooLate(environment, era);
    const outcome = attempt(handle, performance, sim.contract, inquiry?.verdicts);
    if (!(outcome instanceof Unanswered)) return outcome;
    inquiry ??= await inquire(performance, sim);
    if (!(await inquiry.ask(outcome))) return undefined;
  }
}

/**
 * An answer that breaks the contract undoes the unit. HEAD is safe (RFC 9110 9.2.1): what looks at a link before a person
 * opens it must not use it up.
 */
function attempt(
  handle: AnyHandler,
  { environment, operation, input, caller, call }: Performance,
  contract: Contract,
  verdicts: Verdicts | undefined,
): Committed<unknown> | Unanswered {
  const occasion = { caller, baseUrl: call.baseUrl, leavesNothing: call.method === 'HEAD', verdicts };
  try {
    return environment.transact(occasion, (world) => {
      const output = outcomeOf(() => handle(input, world));
      checkOutcome(output, operation, contract);
      return output;
    });
  } catch (thrown) {
    if (thrown instanceof Unanswered) return thrown;
    throw thrown;
  }
}

/** Who asks is loaded when there is something to ask. */
async function inquire(performance: Performance, sim: Simulator): Promise<Inquiry> {
  const { environment, era, entry, call } = performance;
  const { Inquiry } = await import('./inquiry.ts');
  return new Inquiry({ environment, era, entry, caller: call }, await sim.interception());
}

/** What the call was meant for has gone: it must not write into the rows that came after. */
const tooLate = ({ name }: Environment, { over }: Era) =>
  failedPrecondition(`environment ${name} was ${over} while this call waited: it did nothing`);
