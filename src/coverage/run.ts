import { isAbsolute, relative } from 'node:path';
import { PACKAGE_ROOT } from '../package-root.ts';
import type { Coverage, Statuses } from '../environments/coverage.ts';
import type { CoverageRun, StatusCounts } from './report.ts';
import { combined, NOTHING, sum } from './counts.ts';

/** What was counted in an environment, as plain data. `*` is all of a process. */
export function runOf(
  { id, answers, violations, strangers, events, rules }: Coverage,
  environment: string,
): CoverageRun {
  const counts = {
    answers: plain(answers),
    violations: plain(violations),
    strangers: plain(strangers),
    events: Object.fromEntries(events),
    rules: rules.list().map(({ before: _, ...rule }) => ({
      ...rule,
      ...(rule.file !== undefined && { file: shortened(rule.file) }),
    })),
  };
  return { id, environment, ...combined(NOTHING, counts, sum) };
}

/** Files of the package are called as they are in it: elsewhere it is in another folder. */
export function shortened(file: string): string {
  const inside = relative(PACKAGE_ROOT, file);
  return inside.startsWith('..') || isAbsolute(inside) ? file : inside;
}

const plain = (counts: ReadonlyMap<string, Statuses>): StatusCounts =>
  Object.fromEntries(Array.from(counts, ([name, statuses]) => [name, Object.fromEntries(statuses)]));
