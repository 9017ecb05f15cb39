import { type ActiveRule, remaining, takeTurn, type RuleTurn, RuleUsage } from './active-rule.ts';
import { type Requirement, meets } from './condition.ts';
import type { CallFacts } from './call-facts.ts';
import type { RowChange } from '../state/env.ts';
import type { ClockSettings } from '../state/clock.ts';
import {
  allOrNothing,
  BeforeImages,
  copyLoaded,
  viewLoaded,
  type LoadedName,
  type LoadedScenario,
  type LoadedScenarioView,
  type SavedScenarios,
} from './loaded-scenario.ts';
import type { Edit } from './edits.ts';
import { Decision } from './decision.ts';
import {
  AppliedRulesOutcome,
  type RuleChanges,
  NO_RULE,
  type RuleOutcome,
  type ScenarioHost,
} from './rule-outcome.ts';
import type { Scenario } from './scenario.ts';
import { StepBudget } from './steps.ts';
import { UnstoredChanges } from './stored-scenarios.ts';

/** Ascending indexes in the list of rules. */
type RuleIndexes = readonly number[];

interface Bucket {
  readonly look: Requirement['read'];
  readonly places: Map<unknown, number[]>;
}

/** The rules that listen to one operation, in order. Immutable except for the rules' counters. */
export class Listeners {
  readonly rules: readonly ActiveRule[];
  /** Rules by the value that one of their requirements wants, so that other calls skip them. */
  readonly #buckets: readonly Bucket[];
  readonly #others: RuleIndexes;

  constructor(rules: readonly ActiveRule[]) {
    this.rules = rules;
    const buckets = new Map<string, Bucket>();
    const others: number[] = [];
    const values = valuesByField(rules);
    for (const [place, { rule }] of rules.entries()) {
      const selective = mostSelective(rule.requirements, values);
      if (selective) addToBucket(place, selective, buckets);
      else others.push(place);
    }
    this.#buckets = [...buckets.values()];
    this.#others = others;
  }

  /** Returns the first candidate for which `isIt` returns true; later rules are not considered. */
  find(facts: CallFacts, accepts: (active: ActiveRule) => boolean): ActiveRule | undefined {
    const lists = this.#others.length > 0 ? [this.#others] : [];
    for (const { look: read, places } of this.#buckets) {
      const found = places.get(read(facts));
      if (found) lists.push(found);
    }
    const places = lists.length > 1 ? merged(lists) : (lists[0] ?? []);
    for (const place of places) if (accepts(this.rules[place]!)) return this.rules[place];
    return undefined;
  }
}

const fieldOf = ({ at }: Requirement) => JSON.stringify(at);

function valuesByField(rules: readonly ActiveRule[]): Map<string, Set<unknown>> {
  const values = new Map<string, Set<unknown>>();
  for (const requirement of rules.flatMap(({ rule }) => rule.requirements)) {
    const known = values.get(fieldOf(requirement)) ?? new Set();
    for (const key of requirement.keys ?? []) known.add(key);
    values.set(fieldOf(requirement), known);
  }
  return values;
}

/** The requirement with the most different values over all rules. */
function mostSelective(
  requirements: readonly Requirement[],
  values: ReadonlyMap<string, Set<unknown>>,
): Requirement | undefined {
  const variety = (requirement: Requirement) => values.get(fieldOf(requirement))!.size;
  return requirements
    .filter(({ keys }) => keys !== undefined)
    .toSorted((a, b) => variety(b) - variety(a))
    .at(0);
}

function addToBucket(place: number, requirement: Requirement, buckets: Map<string, Bucket>): void {
  const field = fieldOf(requirement);
  const bucket = buckets.get(field) ?? { look: requirement.read, places: new Map<unknown, number[]>() };
  buckets.set(field, bucket);
  for (const key of new Set(requirement.keys)) {
    const places = bucket.places.get(key);
    if (places) places.push(place);
    else bucket.places.set(key, [place]);
  }
}

/** Merges the lists in order; no index is in two lists. */
function* merged(lists: readonly RuleIndexes[]): Generator<number> {
  const heads = lists.map(() => 0);
  for (;;) {
    let least = -1;
    for (const [index, list] of lists.entries()) {
      const place = list[heads[index]!];
      if (place !== undefined && (least < 0 || place < lists[least]![heads[least]!]!)) least = index;
    }
    if (least < 0) return;
    yield lists[least]![heads[least]!++]!;
  }
}

/** What loading a scenario has changed. `clock`: the settings before. */
export interface AppliedState {
  readonly changes: readonly RowChange[];
  readonly clock: ClockSettings | undefined;
}

/** The scenarios of one environment in loading order. A call only considers rules of its operation. */
export class LoadedScenarios {
  readonly unstored = new UnstoredChanges();
  readonly #host: ScenarioHost;
  readonly #usage: RuleUsage;
  readonly #loaded = new Map<string, LoadedScenario>();
  /** By operation; built at the first call after a change. */
  readonly #listening = new Map<string, Listeners>();
  readonly #images = new BeforeImages();
  #count = 0;

  constructor(host: ScenarioHost, usage = new RuleUsage()) {
    this.#host = host;
    this.#usage = usage;
  }

  /** Replaces a scenario of the same name. `staged`: what loading has changed so far. */
  load(scenario: Scenario, applied?: AppliedState): LoadedName {
    const { name, rules, warnings } = scenario;
    const known = this.#named(name);
    if (known) this.#remove(known);
    const id = `scn_${++this.#count}`;
    const counters = this.#usage.countLoading(scenario);
    const active = rules.map((rule, index) => ({
      rule,
      label: { name, rule: index },
      seen: 0,
      hits: 0,
      counter: counters[index]!,
    }));
    const { clock, changes = [] } = scenario.restore ? (applied ?? {}) : {};
    this.#loaded.set(id, { id, name, scenario, rules: active, clock });
    this.#images.note(id, changes);
    this.#changed();
    return { id, name, ...(warnings && { warnings }) };
  }

  scenarios(): Scenario[] {
    return Array.from(this.#loaded.values(), ({ scenario }) => scenario);
  }

  list(): LoadedScenarioView[] {
    return Array.from(this.#loaded.values(), viewLoaded);
  }

  find(idOrName: string): LoadedScenarioView | undefined {
    const loaded = this.#get(idOrName);
    return loaded && viewLoaded(loaded);
  }

  /** Whether unloading the scenario of this name restores rows. */
  restores(name: string): boolean {
    return this.#named(name)?.scenario.restore === true;
  }

  /** Keeps what scenarios have changed, even after they are unloaded. */
  keepChanges(): void {
    if (this.#images.save().length > 0) this.unstored.noteImages();
    this.#images.restore([]);
  }

  /** Returns false if there is no such scenario. Restores rows if the scenario has `restore`. */
  unload(idOrName: string): boolean {
    const loaded = this.#get(idOrName);
    if (loaded) this.#remove(loaded);
    return loaded !== undefined;
  }

  /** Unloads all, the last one first. */
  clear(): void {
    for (const loaded of [...this.#loaded.values()].toReversed()) this.#remove(loaded);
  }

  /** Unloads all without restoring rows; ids start at 1 again. */
  reset(): void {
    this.#dropAll();
    this.#count = 0;
  }

  /** The cost grows with the number of rules, not of calls. */
  save(): SavedScenarios {
    return {
      loaded: copyLoaded([...this.#loaded.values()]),
      count: this.#count,
      images: this.#images.save(),
    };
  }

  /** Can be repeated. */
  restore({ loaded, count, images }: SavedScenarios): void {
    this.#dropAll();
    this.#images.restore(images);
    for (const each of copyLoaded(loaded, (counter) => this.#usage.counterOf(counter)))
      this.#loaded.set(each.id, each);
    this.#count = count;
  }

  /** What another process has counted. */
  setCounts(counts: Iterable<readonly [name: string, rule: number, seen: number, hits: number]>): void {
    for (const [name, rule, seen, hits] of counts)
      Object.assign(this.#named(name)?.rules[rule] ?? {}, { seen, hits });
  }

  /**
   * Call this once for each call, because it counts. `chance`: pass a generator for asynchronous work, whose order
   * must not change what other calls draw.
   */
  outcomeFor(facts: CallFacts, chance = this.#host.chance): RuleOutcome {
    if (this.#loaded.size === 0) return NO_RULE;
    const listeners = this.#listeningTo(facts.operation.id);
    if (listeners.rules.length === 0) return NO_RULE;
    const turns: RuleTurn[] = [];
    const work = new StepBudget();
    const found = listeners.find(facts, (active) => {
      if (!meets(facts, active.rule.requirements, work)) return false;
      if (remaining(active) === 0) return this.#passBy(active);
      const turn = takeTurn(active, chance);
      this.unstored.noteCount(active);
      turns.push(turn);
      return turn.applied && !active.rule.continues;
    });
    const decision = new Decision(listeners, facts, turns);
    const appliedRules = turns.filter((turn) => turn.applied).map(({ active }) => active);
    if (appliedRules.length === 0) return { ...NO_RULE, decision };
    const changes = appliedRules.map((active) => this.#changesOf(active));
    return new AppliedRulesOutcome({
      changes,
      rule: found?.rule,
      decision,
      call: facts,
      host: { ...this.#host, chance },
    });
  }

  /** A rule that is used up still counts the calls that it would have applied to. */
  #passBy(active: ActiveRule): false {
    active.seen += 1;
    this.unstored.noteCount(active);
    return false;
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

  #get(idOrName: string): LoadedScenario | undefined {
    return this.#loaded.get(idOrName) ?? this.#named(idOrName);
  }

  #named(name: string): LoadedScenario | undefined {
    return [...this.#loaded.values()].find((loaded) => loaded.name === name);
  }

  /** If its changes cannot be undone, the scenario stays loaded. */
  #remove({ id, clock }: LoadedScenario): void {
    allOrNothing(this, () => {
      this.#loaded.delete(id);
      this.#changed();
      const changes = this.#images.release(id);
      if (changes.length > 0 || clock) this.#host.restore(changes, clock);
    });
  }

  #dropAll(): void {
    this.#loaded.clear();
    this.#changed();
    this.#images.restore([]);
  }

  #changed(): void {
    this.#listening.clear();
    this.unstored.noteAll();
  }

  /** Remembers the changes of scenarios with `restore`. */
  #changesOf({ label, rule: { effects } }: ActiveRule): RuleChanges {
    const { edits } = effects;
    const loaded = edits.length > 0 ? this.#named(label.name) : undefined;
    if (!loaded?.scenario.restore) return { label, edits, change: this.#host.change };
    const change = (filled: readonly Edit[]) => {
      const changes = this.#host.change(filled);
      this.#images.note(loaded.id, changes);
      this.unstored.noteImages();
      return changes;
    };
    return { label, edits, change };
  }
}
