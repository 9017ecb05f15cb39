import {
  remaining,
  takeTurn,
  viewRule,
  type ActiveRule,
  type LoadedRuleView,
  type Turn,
} from './active-rule.ts';
import { allOrNothing } from './lint.ts';
import type { RowChange } from '../environment/env.ts';
import type { ClockSettings } from '../environment/clock.ts';
import { BeforeImages, type Image } from './before-images.ts';
import type { Edit } from './edits.ts';
import { meets } from './condition.ts';
import { Decision } from './decision.ts';
import { Listeners } from './listeners.ts';
import { scriptOf, type RuleChanges } from './play.ts';
import { RuleUsage, type RuleUse } from './rule-usage.ts';
import type { Scenario } from './scenario.ts';
import { NO_RULE, type CallFacts, type RuleOutcome, type ScenarioHost } from './script.ts';
import { Work } from './steps.ts';

/** What loading a scenario tells. */
export type LoadedName = Pick<LoadedScenarioView, 'id' | 'name' | 'warnings'>;

export interface LoadedScenarioView {
  id: string;
  name: string;
  /** Absent when it has none. */
  params?: Record<string, unknown>;
  /** What can hardly be meant, one a line; absent when there is nothing. */
  warnings?: string[];
  rules: LoadedRuleView[];
}

/** What loading a scenario has changed; `clock`: what it was before, if it was set. */
export interface AppliedState {
  readonly changes: readonly RowChange[];
  readonly clock: ClockSettings | undefined;
}

interface Loaded {
  readonly id: string;
  readonly name: string;
  readonly scenario: Scenario;
  readonly rules: readonly ActiveRule[];
  /** To be set when it goes; only of one that restores. */
  readonly clock?: ClockSettings | undefined;
}

/** What was loaded at one moment, and how far each rule had come. It does not change, and lives in memory only. */
export interface SavedScenarios {
  readonly loaded: readonly Loaded[];
  readonly count: number;
  readonly images: readonly Image[];
}

/** The scenarios of one environment, in the order of loading. A call looks only at rules of its own operation. */
export class LoadedScenarios {
  readonly #host: ScenarioHost;
  readonly #usage: RuleUsage;
  readonly #loaded = new Map<string, Loaded>();
  /** By operation; found when its first call comes after a change. */
  readonly #listening = new Map<string, Listeners>();
  readonly #images = new BeforeImages();
  #count = 0;

  constructor(host: ScenarioHost, usage = new RuleUsage()) {
    this.#host = host;
    this.#usage = usage;
  }

  /** One of the same name is replaced; nothing of it is kept. `staged`: what has been changed for this one. */
  load(scenario: Scenario, staged?: AppliedState): LoadedName {
    const { name, rules, warnings } = scenario;
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
    const { clock, changes = [] } = scenario.restore ? (staged ?? {}) : {};
    this.#loaded.set(id, { id, name, scenario, rules: active, clock });
    this.#images.note(id, changes);
    this.#listening.clear();
    return { id, name, ...(warnings && { warnings }) };
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

  /** Whether the one of that name, if any, is put back when it goes. */
  restores(name: string): boolean {
    return this.#named(name)?.scenario.restore === true;
  }

  /** What scenarios have changed so far stays. */
  keepChanges(): void {
    this.#images.restore([]);
  }

  /** Whether there was one. What it has changed is put back if it restores. */
  unload(idOrName: string): boolean {
    const loaded = this.#get(idOrName);
    if (loaded) this.#remove(loaded);
    return loaded !== undefined;
  }

  /** All are unloaded, the last one first. */
  clear(): void {
    for (const loaded of [...this.#loaded.values()].toReversed()) this.#remove(loaded);
  }

  /** As at the start: ids count from one again. What scenarios have changed stays. */
  reset(): void {
    this.#forget();
    this.#count = 0;
  }

  /** What `restore` takes, of this environment or of another one. The cost grows with the rules, not with calls. */
  save(): SavedScenarios {
    return { loaded: copy([...this.#loaded.values()]), count: this.#count, images: this.#images.save() };
  }

  /** As it was when it was saved; it can be restored as often as one likes. */
  restore({ loaded, count, images }: SavedScenarios): void {
    this.#forget();
    this.#images.restore(images);
    for (const each of copy(loaded, (use) => this.#usage.adopt(use))) this.#loaded.set(each.id, each);
    this.#count = count;
  }

  /**
   * To be asked once a call: it counts. `chance`: of its own, for what happens at no certain time; else it is drawn
   * from the environment's generator.
   */
  outcomeFor(facts: CallFacts, chance = this.#host.chance): RuleOutcome {
    if (this.#loaded.size === 0) return NO_RULE;
    const listeners = this.#listeningTo(facts.operation.id);
    if (listeners.rules.length === 0) return NO_RULE;
    const turns: Turn[] = [];
    const work = new Work();
    const found = listeners.find(facts, (active) => {
      if (remaining(active) === 0 || !meets(facts, active.rule.demands, work)) return false;
      const turn = takeTurn(active, chance);
      turns.push(turn);
      return turn.applied && !active.rule.goesOn;
    });
    const decision = new Decision(listeners, facts, turns);
    const applied = turns.filter((turn) => turn.applied).map(({ active }) => active);
    if (applied.length === 0) return { ...NO_RULE, decision };
    const changes = applied.map((active) => this.#changesOf(active));
    return scriptOf({ changes, rule: found?.rule, decision, call: facts, host: { ...this.#host, chance } });
  }

  #listeningTo(operation: string): Listeners {
    const known = this.#listening.get(operation);
    if (known) return known;
    const rules = [...this.#loaded.values()].flatMap((loaded) => loaded.rules);
    const isListening = ({ rule }: ActiveRule) => rule.target.operations.some(({ id }) => id === operation);
    const listeners = new Listeners(rules.filter(isListening));
    this.#listening.set(operation, listeners);
    return listeners;
  }

  #get(idOrName: string): Loaded | undefined {
    return this.#loaded.get(idOrName) ?? this.#named(idOrName);
  }

  #named(name: string): Loaded | undefined {
    return [...this.#loaded.values()].find((loaded) => loaded.name === name);
  }

  /** Where its changes can not be put back it stays loaded, with all that it was. */
  #remove({ id, clock }: Loaded): void {
    allOrNothing(this, () => {
      this.#loaded.delete(id);
      this.#listening.clear();
      const changes = this.#images.release(id);
      if (changes.length > 0 || clock) this.#host.putBack(changes, clock);
    });
  }

  #forget(): void {
    this.#loaded.clear();
    this.#listening.clear();
    this.#images.restore([]);
  }

  /** What the rules of a scenario that restores change is remembered. */
  #changesOf({ label, rule: { effects } }: ActiveRule): RuleChanges {
    const { edits } = effects;
    const loaded = edits.length > 0 ? this.#named(label.name) : undefined;
    if (!loaded?.scenario.restore) return { label, edits, change: this.#host.change };
    const change = (filled: readonly Edit[]) => {
      const changes = this.#host.change(filled);
      this.#images.note(loaded.id, changes);
      return changes;
    };
    return { label, edits, change };
  }
}

const copy = (loaded: readonly Loaded[], countedBy = (use: RuleUse) => use): Loaded[] =>
  loaded.map((each) => ({
    ...each,
    rules: each.rules.map((active) => ({ ...active, use: countedBy(active.use) })),
  }));

const view = ({ id, name, scenario: { params = {}, warnings }, rules }: Loaded): LoadedScenarioView => ({
  id,
  name,
  ...(Object.keys(params).length > 0 && { params }),
  ...(warnings && { warnings }),
  rules: rules.map(viewRule),
});
