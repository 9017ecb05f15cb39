import type { AnswerFile } from '../probes/answers.ts';
import { emptyComparison, type Comparison, type Finding } from './difference.ts';

/** What the answers to probes say about Understudy's rules: an answer that differs is drift. */
export function probeDrift({
  service,
  date,
  verdicts,
}: Pick<AnswerFile, 'service' | 'date' | 'verdicts'>): Comparison {
  const { counts, noise } = emptyComparison();
  const findings = verdicts.flatMap(({ rule, verdict, differences, why }): Finding[] => {
    counts[verdict === 'same' ? 'identical' : verdict === 'different' ? 'drift' : 'unknown'] += 1;
    const common = {
      subject: rule,
      kind: 'rule' as const,
      severity: 'notable' as const,
      at: rule,
      rules: [rule],
    };
    if (verdict === 'different')
      return [
        {
          ...common,
          verdict: 'drift',
          message: `${service} did not follow the rule on ${date}: ${differences.join('; ')}`,
        },
      ];
    return verdict === 'same'
      ? []
      : [{ ...common, verdict: 'unknown', message: `the probe could not ask: ${why ?? 'no reason given'}` }];
  });
  return { compared: verdicts.map(({ rule }) => rule), counts, noise, findings };
}
