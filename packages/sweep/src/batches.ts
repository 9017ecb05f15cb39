import type { Case } from './plan.ts';

/** More failures at once would make a run long, and a repetition dear. */
const MOST = 12;

/**
 * Cases that can run at once: no test reaches the calls of two of them. Each batch begins with the most telling case that is left.
 * `reaching`: the tests that call an operation.
 */
export function batchesOf(
  plan: readonly Case[],
  reaching: ReadonlyMap<string, ReadonlySet<string | undefined>>,
): Case[][] {
  const batches: { cases: Case[]; tests: Set<string | undefined> }[] = [];
  for (const each of plan) {
    const tests = reaching.get(each.operation) ?? new Set();
    const batch = batches.find(
      ({ cases, tests: taken }) => canJoin(each, cases) && [...tests].every((test) => !taken.has(test)),
    );
    if (!batch) batches.push({ cases: [each], tests: new Set(tests) });
    else {
      batch.cases.push(each);
      for (const test of tests) batch.tests.add(test);
    }
  }
  return batches.map(({ cases }) => cases);
}

/** What belongs to no test, a clock and a whole scenario concern every test. */
const isAlone = ({ injection, tests }: Case) =>
  injection.clock !== undefined || injection.scenario !== undefined || tests.includes(undefined);

const canJoin = (each: Case, cases: readonly Case[]) =>
  cases.length < MOST && !isAlone(each) && !cases.some(isAlone);
