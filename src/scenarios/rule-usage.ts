import type { On } from './target.ts';

/** A rule of a scenario, wherever and however often it was loaded. */
export interface RuleName {
  scenario: string;
  /** Its place in the scenario, from 0. */
  rule: number;
  on: On;
  /** Where it was read from; absent when the scenario came with a call. */
  file?: string;
}

export interface RuleUse extends RuleName {
  /** How often its scenario was loaded. */
  loaded: number;
  /** How often it was applied since it was last forgotten how often. */
  fired: number;
  /** How often before that. */
  before: number;
}

interface LoadedRules {
  name: string;
  file?: string;
  rules: readonly { on: On }[];
}

/** Which rules were loaded, and how often they spoke. Unloading them takes nothing away. */
export class RuleUsage {
  readonly #uses = new Map<string, RuleUse>();

  /** One for each rule, in their order: whoever applies the rule counts it there. */
  loaded({ name, file, rules }: LoadedRules): RuleUse[] {
    return rules.map(({ on }, rule) => {
      const use = this.#use({ scenario: name, rule, on, ...(file !== undefined && { file }) });
      use.loaded += 1;
      return use;
    });
  }

  /** The one here of a rule that was loaded, here or in another environment. */
  adopt({ scenario, rule, on, file }: RuleUse): RuleUse {
    const use = this.#use({ scenario, rule, on, ...(file !== undefined && { file }) });
    use.loaded ||= 1;
    return use;
  }

  list(): RuleUse[] {
    return [...this.#uses.values()];
  }

  absorb(other: RuleUsage): void {
    for (const { loaded, fired, before, ...name } of other.list()) {
      const use = this.#use(name);
      use.loaded += loaded;
      use.fired += fired;
      use.before += before;
    }
  }

  /** Counts from zero again. That a rule has ever spoken stays known. */
  forget(): void {
    for (const use of this.#uses.values()) {
      use.before += use.fired;
      use.fired = 0;
    }
  }

  #use(name: RuleName): RuleUse {
    const key = keyOf(name);
    const known = this.#uses.get(key);
    if (known) return known;
    const use = { ...name, loaded: 0, fired: 0, before: 0 };
    this.#uses.set(key, use);
    return use;
  }
}

/** The same for the same rule, wherever it was loaded. */
export const keyOf = ({ scenario, rule, on, file }: Omit<RuleName, 'on'> & { on: unknown }) =>
  JSON.stringify([scenario, rule, on, file]);
