import { meets } from './condition.ts';
import { scriptOf } from './play.ts';
import { RuleUsage, type RuleUse } from './rule-usage.ts';
import type { Rule } from './rule.ts';
import type { Scenario } from './scenario.ts';
import { SILENT, type CallFacts, type RuleLabel, type Script } from './script.ts';
import type { On } from './target.ts';

export interface LoadedRuleView {
  on: On;
  /** The included scenario that it is written in; absent: the loaded one itself. */
  from?: string;
  /** How often it was applied. */
  hits: number;
  /** How often it still will be; absent when without end. */
  remaining?: number;
}

export interface LoadedScenarioView {
  id: string;
  name: string;
  /** Absent when it has none. */
  params?: Record<string, unknown>;
  rules: LoadedRuleView[];
}

/** A rule of a loaded scenario, and how far it has come. */
interface ActiveRule {
  readonly rule: Rule;
  readonly label: RuleLabel;
  seen: number;
  hits: number;
  /** Where it is counted for good. */
  readonly use: RuleUse;
}

interface Loaded {
  readonly id: string;
  readonly name: string;
  readonly scenario: Scenario;
  readonly rules: readonly ActiveRule[];
}

/** What was loaded at one moment, and how far each rule had come. It does not change, and lives in memory only. */
export interface SavedScenarios {
  readonly loaded: readonly Loaded[];
  readonly count: number;
}

/** The scenarios of one environment, in the order of loading. A call looks only at rules of its own operation. */
export class LoadedScenarios {
  readonly #chance: () => number;
  readonly #usage: RuleUsage;
  readonly #loaded = new Map<string, Loaded>();
  /** Found when the first call comes after a change: each list never changes. */
  readonly #listening = new Map<string, readonly ActiveRule[]>();
  #count = 0;

  constructor(chance: () => number, usage = new RuleUsage()) {
    this.#chance = chance;
    this.#usage = usage;
  }

  /** One of the same name is replaced; nothing of it is kept. */
  load(scenario: Scenario): { id: string; name: string } {
    const { name, rules } = scenario;
    const known = this.#named(name);
    if (known) this.#remove(known);
    const id = `scn_${++this.#count}`;
    const uses = this.#usage.loaded(scenario);
    const active = rules.map((rule, index) => ({
      rule,
      label: { name, rule: index },
      seen: 0,
      hits: 0,
      use: uses[index]!,
    }));
    this.#loaded.set(id, { id, name, scenario, rules: active });
    this.#listening.clear();
    return { id, name };
  }

  /** As they were read. */
  scenarios(): Scenario[] {
    return Array.from(this.#loaded.values(), ({ scenario }) => scenario);
  }

  list(): LoadedScenarioView[] {
    return Array.from(this.#loaded.values(), view);
  }

  find(idOrName: string): LoadedScenarioView | undefined {
    const loaded = this.#get(idOrName);
    return loaded && view(loaded);
  }

  /** Whether there was one. */
  unload(idOrName: string): boolean {
    const loaded = this.#get(idOrName);
    if (loaded) this.#remove(loaded);
    return loaded !== undefined;
  }

  clear(): void {
    this.#loaded.clear();
    this.#listening.clear();
  }

  /** As at the start: ids count from one again. */
  reset(): void {
    this.clear();
    this.#count = 0;
  }

  /** What `restore` takes, of this environment or of another one. The cost grows with the rules, not with calls. */
  save(): SavedScenarios {
    return { loaded: copy([...this.#loaded.values()]), count: this.#count };
  }

  /** As it was when it was saved; it can be restored as often as one likes. */
  restore({ loaded, count }: SavedScenarios): void {
    this.clear();
    for (const each of copy(loaded, (use) => this.#usage.adopt(use))) this.#loaded.set(each.id, each);
    this.#count = count;
  }

  /** To be asked once a call: it counts. */
  scriptFor(facts: CallFacts): Script {
    if (this.#loaded.size === 0) return SILENT;
    const active = this.#listeningTo(facts.operation.id).find((each) => applies(each, facts));
    if (!active) return SILENT;
    active.hits += 1;
    active.use.fired += 1;
    return scriptOf(active.rule, active.label, this.#chance);
  }

  #listeningTo(operation: string): readonly ActiveRule[] {
    const known = this.#listening.get(operation);
    if (known) return known;
    const rules = [...this.#loaded.values()].flatMap((loaded) => loaded.rules);
    const found = rules.filter(({ rule }) => rule.target.operations.some(({ id }) => id === operation));
    this.#listening.set(operation, found);
    return found;
  }

  #get(idOrName: string): Loaded | undefined {
    return this.#loaded.get(idOrName) ?? this.#named(idOrName);
  }

  #named(name: string): Loaded | undefined {
    return [...this.#loaded.values()].find((loaded) => loaded.name === name);
  }

  #remove({ id }: Loaded): void {
    this.#loaded.delete(id);
    this.#listening.clear();
  }
}

const copy = (loaded: readonly Loaded[], countedBy = (use: RuleUse) => use): Loaded[] =>
  loaded.map((each) => ({
    ...each,
    rules: each.rules.map((active) => ({ ...active, use: countedBy(active.use) })),
  }));

/** Counts the call when it matches. */
function applies(active: ActiveRule, facts: CallFacts): boolean {
  const { target, when, after } = active.rule;
  if (remaining(active) === 0) return false;
  if (target.path && !target.path.test(facts.path.replace(/\/$/, ''))) return false;
  if (when && !meets(facts, when)) return false;
  active.seen += 1;
  return active.seen > after;
}

const remaining = ({ rule: { times }, hits }: ActiveRule) => (times === undefined ? undefined : times - hits);

const view = ({ id, name, scenario: { params = {} }, rules }: Loaded): LoadedScenarioView => ({
  id,
  name,
  ...(Object.keys(params).length > 0 && { params }),
  rules: rules.map((active) => {
    const left = remaining(active);
    const { on, from } = active.rule;
    return {
      on,
      ...(from !== undefined && { from }),
      hits: active.hits,
      ...(left !== undefined && { remaining: left }),
    };
  }),
});
