import type { ActiveRule } from './active-rule.ts';
import type { Requirement } from './condition.ts';
import type { CallFacts } from './call-facts.ts';

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
