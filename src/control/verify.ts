import type { Contract } from '../contract/contract.ts';
import type { Entry } from '../environment/journal/entry.ts';
import { invalidArgument } from '../errors.ts';
import { ScenarioError } from '../scenarios/complaints.ts';
import type { Condition, Requirement } from '../scenarios/condition.ts';
import type { ScenarioCatalog } from '../scenarios/library.ts';
import type { CallFacts } from '../scenarios/call-facts.ts';
import { EvidenceError, type ControlOperations } from './handler.ts';
import { checksOf, nearestOf, passesAll, type Check, type RequestMatch } from './request-match.ts';
import { entriesAfter } from './requests.ts';

/** The conditions of a scenario's `when`, and the fields of `RequestMatch`. */
interface VerifyMatch extends RequestMatch, Omit<Condition, 'path'> {}

const MOST_MATCHING = 10;

export const verify = {
  async Control_VerifyRequests({ body }, { environment, simulator, scenarios }) {
    const { match, since, ...times } = body;
    const { isMet, expected } = countOf(times as CountLimits);
    const checks = readMatch(match as VerifyMatch, simulator.contract, await scenarios());
    const entries = entriesAfter(environment, since).filter(({ isClosed }) => isClosed);
    const matching = entries.filter((entry) => passesAll(entry, checks));
    const count = matching.length;
    if (isMet(count)) return { count };
    const others = entries.filter((entry) => !matching.includes(entry));
    const { redacts } = environment.journal;
    throw new EvidenceError('failed_precondition', `expected ${expected}, saw ${count}`, {
      count,
      expected: times.times === undefined && Object.keys(times).length === 0 ? { at_least: 1 } : times,
      matching: matching.slice(-MOST_MATCHING).map(({ id }) => id),
      nearest: nearestOf(others, checks, redacts),
    });
  },
} satisfies Partial<ControlOperations>;

function readMatch(match: VerifyMatch, contract: Contract, { reader }: ScenarioCatalog): Check[] {
  const { operation, method, path, status, ...when } = match;
  const checks = checksOf({ operation, method, path, status } as RequestMatch, contract);
  if (Object.keys(when).length === 0) return checks;
  const on = operation ?? '*';
  const rules = [{ on, when, fault: { delay: '0ms' } }];
  try {
    const scenario = reader.read(JSON.stringify({ name: 'match', rules }), 'match');
    return [...checks, ...scenario.rules[0]!.requirements.map((demand) => checkOf(demand, contract))];
  } catch (thrown) {
    throw thrown instanceof ScenarioError ? invalidArgument(complaintsOf(thrown)) : thrown;
  }
}

/** The match was wrapped in a scenario, whose positions mean nothing to the caller. */
const complaintsOf = ({ complaints, more }: ScenarioError) =>
  [
    ...complaints.map(({ path, message }) => `${path.replace(/^rules\[0\]\.when/, 'match')}: ${message}`),
    ...more,
  ].join('\n');

const checkOf = ({ at, wanted, read, test }: Requirement, contract: Contract): Check => ({
  at: at.slice(1).map(String),
  wanted,
  look: (entry) => read(factsOf(entry, contract)),
  test,
});

/** The values that a condition can read. Path parameters come from the path itself. */
const factsOf = (
  { operation, binding, protocol, method, path, query, headers, body }: Entry,
  contract: Contract,
) =>
  ({
    operation: contract.operation(binding ?? operation ?? ''),
    protocol,
    method,
    path,
    params: {},
    query,
    headers,
    body,
    caller: undefined,
  }) as unknown as CallFacts;

/** The expected number of calls; at least one if nothing is given. */
export interface CountLimits {
  times?: number;
  at_least?: number;
  at_most?: number;
}

/** Throws `invalid_argument` if no count can satisfy the limits. */
function countOf({ times, at_least, at_most }: CountLimits): {
  isMet: (count: number) => boolean;
  expected: string;
} {
  if (times !== undefined && (at_least !== undefined || at_most !== undefined))
    throw invalidArgument('times cannot be combined with at_least or at_most');
  const least = times ?? at_least ?? (at_most === undefined ? 1 : 0);
  const most = times ?? at_most ?? Infinity;
  if (least > most) throw invalidArgument(`at_least: ${least} is more than at_most: ${most}`);
  return { isMet: (count) => count >= least && count <= most, expected: wordsOf(least, most) };
}

function wordsOf(least: number, most: number): string {
  if (least === most) return `exactly ${callsThat(least)}`;
  if (most === Infinity) return `at least ${callsThat(least)}`;
  return least === 0 ? `at most ${callsThat(most)}` : `${least} to ${callsThat(most)}`;
}

const callsThat = (count: number) => `${count} ${count === 1 ? 'call that matches' : 'calls that match'}`;
