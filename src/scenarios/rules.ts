import { ApiError } from '../errors.ts';
import { meets } from './condition.ts';
import { drawDelay, wait } from './faults.ts';
import { createAnswer } from './reply.ts';
import type { Rule } from './rule.ts';
import type { Scenario } from './scenario.ts';
import { SILENT, type CallFacts, type Script } from './script.ts';
import type { On } from './target.ts';

export interface LoadedRuleView {
  on: On;
  /** How often it was applied. */
  hits: number;
  /** How often it still will be; absent when without end. */
  remaining?: number;
}

export interface LoadedScenarioView {
  id: string;
  name: string;
  rules: LoadedRuleView[];
}

/** A rule of a loaded scenario, and how far it has come. */
interface ActiveRule {
  readonly rule: Rule;
  readonly label: { readonly name: string; readonly rule: number };
  seen: number;
  hits: number;
}

interface Loaded {
  readonly id: string;
  readonly name: string;
  readonly rules: readonly ActiveRule[];
}

/** The scenarios of one environment, in the order of loading. A call looks only at rules of its own operation. */
export class LoadedScenarios {
  readonly #chance: () => number;
  readonly #loaded = new Map<string, Loaded>();
  readonly #byOperation = new Map<string, ActiveRule[]>();
  #count = 0;

  constructor(chance: () => number) {
    this.#chance = chance;
  }

  /** One of the same name is replaced; nothing of it is kept. */
  load({ name, rules }: Scenario): { id: string; name: string } {
    const known = this.#named(name);
    if (known) this.#remove(known);
    const id = `scn_${++this.#count}`;
    const active = rules.map((rule, index) => ({ rule, label: { name, rule: index }, seen: 0, hits: 0 }));
    this.#loaded.set(id, { id, name, rules: active });
    for (const each of active) this.#listen(each);
    return { id, name };
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
    this.#byOperation.clear();
  }

  /** As at the start: ids count from one again. */
  reset(): void {
    this.clear();
    this.#count = 0;
  }

  /** To be asked once a call: it counts. Chance is drawn here, so that the order of calls decides. */
  scriptFor(facts: CallFacts): Script {
    const active = this.#byOperation.get(facts.operation.id)?.find((each) => applies(each, facts));
    if (!active) return SILENT;
    const { rule, label } = active;
    active.hits += 1;
    if (remaining(active) === 0) this.#silence(active);
    const delay = rule.delay && drawDelay(rule.delay, this.#chance);
    const answer = rule.reply && createAnswer(rule.reply, this.#chance);
    return {
      rule: label,
      async play() {
        if (delay) await wait(delay);
        if (answer instanceof ApiError) throw answer;
        return answer;
      },
    };
  }

  #get(idOrName: string): Loaded | undefined {
    return this.#loaded.get(idOrName) ?? this.#named(idOrName);
  }

  #named(name: string): Loaded | undefined {
    return [...this.#loaded.values()].find((loaded) => loaded.name === name);
  }

  #remove(loaded: Loaded): void {
    this.#loaded.delete(loaded.id);
    for (const each of loaded.rules) this.#silence(each);
  }

  #listen(active: ActiveRule): void {
    for (const { id } of active.rule.target.operations) {
      const listening = this.#byOperation.get(id);
      if (listening) listening.push(active);
      else this.#byOperation.set(id, [active]);
    }
  }

  /** A rule that will not speak again is not asked again. */
  #silence(active: ActiveRule): void {
    for (const { id } of active.rule.target.operations) {
      const others = this.#byOperation.get(id)?.filter((each) => each !== active) ?? [];
      if (others.length > 0) this.#byOperation.set(id, others);
      else this.#byOperation.delete(id);
    }
  }
}

/** Counts the call when it matches. */
function applies(active: ActiveRule, facts: CallFacts): boolean {
  const { target, when, after } = active.rule;
  if (target.path && !target.path.test(facts.path.replace(/\/$/, ''))) return false;
  if (when && !meets(facts, when)) return false;
  active.seen += 1;
  return active.seen > after;
}

const remaining = ({ rule: { times }, hits }: ActiveRule) => (times === undefined ? undefined : times - hits);

const view = ({ id, name, rules }: Loaded): LoadedScenarioView => ({
  id,
  name,
  rules: rules.map((active) => {
    const left = remaining(active);
    const { on } = active.rule;
    return { on, hits: active.hits, ...(left !== undefined && { remaining: left }) };
  }),
});
