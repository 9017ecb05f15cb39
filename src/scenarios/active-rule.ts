import type { Rule } from './rule.ts';
import type { Condition } from './condition.ts';
import type { RuleLabel } from './call-facts.ts';
import type { On } from './target.ts';

/** A rule of a loaded scenario with its counters. */
export interface ActiveRule {
  readonly rule: Rule;
  readonly label: RuleLabel;
  /** Matching calls so far, also those after the rule was used up. */
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
  /** How many calls have matched the rule, with those after it was used up. */
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

/** Identifies a rule, however often its scenario was loaded. */
interface RuleName {
  scenario: string;
  /** The index in the scenario. */
  rule: number;
  on: On;
  /** Absent if the scenario came with a call. */
  file?: string;
}

export interface RuleCounter extends RuleName {
  /** How often the scenario was loaded. */
  loaded: number;
  /** Hits since the last reset of the counters. */
  fired: number;
  /** Hits before the last reset. */
  before: number;
}

interface LoadedRules {
  name: string;
  file?: string;
  rules: readonly { on: On }[];
}

/** Of one scenario, and of all that are counted: scenarios that are written for a single call may have a new name each. */
export const MAX_RULES = 5000;

/** Which rules were loaded and how often they were applied. Unloading removes nothing; the oldest rules go. */
export class RuleUsage {
  readonly #uses = new Map<string, RuleCounter>();
  /** Walks on from the key that was deleted last: a new walk would pass all deleted keys. */
  readonly #oldest = this.#uses.keys();

  /** The counters of the rules, in order. */
  countLoading({ name, file, rules }: LoadedRules): RuleCounter[] {
    return rules.map(({ on }, rule) => {
      const use = this.#use({ scenario: name, rule, on, ...(file !== undefined && { file }) });
      use.loaded += 1;
      return use;
    });
  }

  /** The counter for a rule that was loaded here or in another environment. */
  counterOf({ scenario, rule, on, file }: RuleCounter): RuleCounter {
    const use = this.#use({ scenario, rule, on, ...(file !== undefined && { file }) });
    use.loaded ||= 1;
    return use;
  }

  list(): RuleCounter[] {
    return [...this.#uses.values()];
  }

  addCountsOf(other: RuleUsage): void {
    for (const { loaded, fired, before, ...name } of other.list()) {
      const use = this.#use(name);
      use.loaded += loaded;
      use.fired += fired;
      use.before += before;
    }
  }

  /** Resets the hits, but remembers that there were any. */
  resetHits(): void {
    for (const use of this.#uses.values()) {
      use.before += use.fired;
      use.fired = 0;
    }
  }

  #use(name: RuleName): RuleCounter {
    const key = keyOf(name);
    const known = this.#uses.get(key);
    if (known) return known;
    const use = { ...name, loaded: 0, fired: 0, before: 0 };
    if (this.#uses.size >= MAX_RULES) this.#uses.delete(this.#oldest.next().value!);
    this.#uses.set(key, use);
    return use;
  }
}

/** The same for the same rule, wherever it was loaded. */
export const keyOf = ({ scenario, rule, on, file }: Omit<RuleName, 'on'> & { on: unknown }) =>
  JSON.stringify([scenario, rule, on, file]);
