import { UsageError } from '@understudy/core/cli/usage-error';
import { globTest } from '@understudy/text/glob';
import { suggestAmong } from '@understudy/text/suggestion';
import { CATALOGUE, type Failure } from '../catalogue.ts';
import type { Case } from '../plan.ts';
import { readReport } from '../report/report.ts';
import type { CaseResult } from '../run-batch.ts';
import type { SweepOptions } from './sweep.ts';
import { userFailures } from './user-failures.ts';

/** Those of the catalogue, then the user's. Throws UsageError. */
export async function wantedFailures({ failure: names, scenario = [] }: SweepOptions): Promise<Failure[]> {
  const known = CATALOGUE.map(({ name }) => name);
  for (const name of names ?? [])
    if (!known.includes(name))
      throw new UsageError(`there is no failure ${name}${suggestAmong(name, known)}`);
  const wanted = names ? CATALOGUE.filter(({ name }) => names.includes(name)) : CATALOGUE;
  return [...wanted, ...(await userFailures(scenario))];
}

/** Cases keep their numbers. Throws UsageError if there are none. */
export function wantedCases(plan: readonly Case[], { operation = '*', case: number }: SweepOptions): Case[] {
  const isWanted = globTest(operation);
  const wanted = plan.filter(
    (each) => isWanted(each.operation) && (number === undefined || each.number === number),
  );
  if (wanted.length > 0) return wanted;
  if (number !== undefined)
    throw new UsageError(
      `there is no case ${number}: with this command and these options, there are ${plan.length}`,
    );
  const operations = [...new Set(plan.map((each) => each.operation))];
  throw new UsageError(
    `no test calls ${operation}: tests call ${operations.join(', ') || 'nothing that can fail'}`,
  );
}

/** The results of the sweep that is continued. Throws UsageError if it is another one. */
export function earlierResults({ resume, command, seed }: SweepOptions): readonly CaseResult[] {
  if (resume === undefined) return [];
  const report = readReport(resume);
  if (report.command.join(' ') !== command.join(' ') || report.seed !== seed)
    throw new UsageError(
      `${resume} is of another sweep: understudy sweep --seed ${report.seed} -- ${report.command.join(' ')}`,
    );
  return report.results;
}

/** The earlier result of the same case, if the same tests reach it. */
export function knownResult(
  { key, number, tests }: Case,
  earlier: readonly CaseResult[],
): CaseResult | undefined {
  const found = earlier.find((each) => each.key === key);
  const isSame =
    found?.verdicts.length === tests.length && found.verdicts.every(({ test }) => tests.includes(test));
  return isSame ? { ...found, number } : undefined;
}
