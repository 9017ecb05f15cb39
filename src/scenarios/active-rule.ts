import type { RuleUse } from './rule-usage.ts';
import type { Rule } from './rule.ts';
import type { Condition } from './condition.ts';
import type { RuleLabel } from './script.ts';
import type { On } from './target.ts';

/** A rule of a loaded scenario, and how far it has come. */
export interface ActiveRule {
  readonly rule: Rule;
  readonly label: RuleLabel;
  /** How many matching calls have come to it; none once it is used up. */
  seen: number;
  /** How often it was applied. */
  hits: number;
  /** Where that is counted for good. */
  readonly use: RuleUse;
}

/** What a matching call met at a rule that was not used up: how far the rule had come with it. */
export interface Turn {
  readonly active: ActiveRule;
  readonly seen: number;
  readonly hits: number;
  /** Where the rule has a probability, and all else was right. */
  readonly drew: number | undefined;
  readonly applied: boolean;
}

/** How often it still will be applied; undefined: without end. */
export const remaining = ({ rule: { times }, hits }: ActiveRule): number | undefined =>
  times === undefined ? undefined : times - hits;

/** Counts a matching call. Some pass first, then every so many-th one is taken, and of those chance takes some. */
export function takeTurn(active: ActiveRule, chance: () => number): Turn {
  const { after, every, probability } = active.rule;
  active.seen += 1;
  const isTurn = active.seen > after && (active.seen - after) % every === 0;
  const drew = isTurn && probability !== undefined ? chance() : undefined;
  const applied = isTurn && (drew === undefined || drew < probability!);
  if (applied) {
    active.hits += 1;
    active.use.fired += 1;
  }
  return { active, seen: active.seen, hits: active.hits, drew, applied };
}

/** Why the rule was applied, or was not, though the call matches it. */
export function reasonOf({ active: { rule }, seen, hits, drew, applied }: Turn): string {
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
  /** The included scenario that it is written in; absent: the loaded one itself. */
  from?: string;
  when?: Condition;
  /** How many matching calls have come to it while it was not used up. */
  seen: number;
  /** How often it was applied. */
  hits: number;
  /** How often it still will be; absent when without end. */
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
