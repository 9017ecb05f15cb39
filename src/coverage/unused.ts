import type { RuleUsage } from '../scenarios/rule-usage.ts';
import { shortened } from './run.ts';
import { ruleTitle } from './shortfall.ts';

/** A line for each rule that was loaded and never applied, below one that counts them; none where all were. */
export function describeUnused(usage: RuleUsage): string[] {
  const unused = usage.list().filter(({ fired, before }) => fired + before === 0);
  if (unused.length === 0) return [];
  const lines = unused.map(({ on, file, ...rule }) => {
    const target = typeof on === 'string' ? on : JSON.stringify(on);
    return `  ${ruleTitle(rule)}, on ${target}${file === undefined ? '' : `, ${shortened(file)}`}`;
  });
  const many = unused.length === 1 ? 'a rule was' : `${unused.length} rules were`;
  return [`understudy: ${many} loaded and never applied`, ...lines];
}
