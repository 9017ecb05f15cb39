import type { On } from './target.ts';

/** Identifies a rule, however often its scenario was loaded. */
export interface RuleName {
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

/** Scenarios that are written for a single call may have a new name each. */
const MAX_RULES = 5000;

/** Which rules were loaded and how often they were applied. Unloading removes nothing; the oldest rules go. */
export class RuleUsage {
  readonly #uses = new Map<string, RuleCounter>();

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
    const oldest = this.#uses.keys().next();
    if (this.#uses.size >= MAX_RULES && !oldest.done) this.#uses.delete(oldest.value);
    this.#uses.set(key, use);
    return use;
  }
}

/** The same for the same rule, wherever it was loaded. */
export const keyOf = ({ scenario, rule, on, file }: Omit<RuleName, 'on'> & { on: unknown }) =>
  JSON.stringify([scenario, rule, on, file]);
