import { ApiError } from '../errors.ts';
import { drawDelay, wait } from './faults.ts';
import { createAnswer } from './reply.ts';
import type { Rule } from './rule.ts';
import type { RuleLabel, Script } from './script.ts';

/** What a rule does to the call that it applies to. Chance is drawn here, so that the order of calls decides. */
export function scriptOf(rule: Rule, label: RuleLabel, chance: () => number): Script {
  const delay = rule.delay && drawDelay(rule.delay, chance);
  const answer = rule.reply && createAnswer(rule.reply, chance);
  return {
    rule: label,
    async play() {
      if (delay) await wait(delay);
      if (answer instanceof ApiError) throw answer;
      return answer;
    },
  };
}
