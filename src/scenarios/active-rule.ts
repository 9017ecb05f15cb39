import type { RuleCounter } from './rule-usage.ts';
import type { Rule } from './rule.ts';
import type { Condition } from './condition.ts';
import type { RuleLabel } from './call-facts.ts';
import type { On } from './target.ts';

/** A rule of a loaded scenario with its counters. */
export interface ActiveRule {
  readonly rule: Rule;
  readonly label: RuleLabel;
  /** Matching calls so far; not counted once the rule is used up. */
  seen: number;
  /** How often the rule was applied. */
  hits: number;
  /** The permanent counter, for coverage. */
  readonly counter: RuleCounter;
}

/** A rule's counters at one matching call. */
export interface RuleTurn {
  readonly active: ActiveRule;
  readonly seen: number;
  readonly hits: number;
  /** The number drawn, if the rule has a probability and it was its turn. */
  readonly drew: number | undefined;
  readonly applied: boolean;
}

/** How often the rule can still be applied; undefined: without limit. */
export const remaining = ({ rule: { times }, hits }: ActiveRule): number | undefined =>
  times === undefined ? undefined : times - hits;

/** Counts a matching call and decides by `after`, `every` and `probability` whether the rule applies. */
export function takeTurn(active: ActiveRule, chance: () => number): RuleTurn {
  const { after, every, probability } = active.rule;
  active.seen += 1;
  const isTurn = active.seen > after && (active.seen - after) % every === 0;
  const drew = isTurn && probability !== undefined ? chance() : undefined;
  const applied = isTurn && (drew === undefined || drew < probability!);
  if (applied) {
    active.hits += 1;
    active.counter.fired += 1;
  }
  return { active, seen: active.seen, hits: active.hits, drew, applied };
}

/** Why a matching rule was applied or not. */
export function reasonOf({ active: { rule }, seen, hits, drew, applied }: RuleTurn): string {
  const { after, every, times, probability } = rule;
  if (seen <= after) return `after: ${seen} of ${after} matching calls let pass`;
  const turn = `every ${every}: this was call ${seen - after}`;
  const chance = drew === undefined ? '' : `probability ${probability}: drew ${drew.toPrecision(3)}`;
  if (!applied) return chance || turn;
  const counted = times === undefined ? '' : `applied ${hits} of ${times} times`;
  return ['matches', every > 1 ? turn : '', chance, counted].filter((part) => part !== '').join('; ');
}

export interface LoadedRuleView {
  on: On;
  /** The included scenario that contains the rule; absent: the loaded scenario itself. */
  from?: string;
  when?: Condition;
  /** Matching calls until the rule was used up. */
  seen: number;
  /** How often the rule was applied. */
  hits: number;
  /** How often the rule can still be applied; absent: without limit. */
  remaining?: number;
}

export function viewRule(active: ActiveRule): LoadedRuleView {
  const left = remaining(active);
  const { seen, hits } = active;
  const { on, from, when } = active.rule;
  return {
    on,
    ...(from !== undefined && { from }),
    ...(when && { when }),
    seen,
    hits,
    ...(left !== undefined && { remaining: left }),
  };
}
