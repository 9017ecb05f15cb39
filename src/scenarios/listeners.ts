import type { ActiveRule } from './active-rule.ts';
import type { Demand } from './condition.ts';
import type { CallFacts } from './script.ts';

/** Places in the list of rules, in order. */
type Places = readonly number[];

interface Bucket {
  readonly look: Demand['look'];
  readonly places: Map<unknown, number[]>;
}

/** The rules that listen to one operation, in order. It never changes; what the rules count does. */
export class Listeners {
  readonly rules: readonly ActiveRule[];
  /** Rules by the value that one of their demands wants: no other call needs to ask them. */
  readonly #buckets: readonly Bucket[];
  readonly #others: Places;

  constructor(rules: readonly ActiveRule[]) {
    this.rules = rules;
    const buckets = new Map<string, Bucket>();
    const others: number[] = [];
    const values = valuesByField(rules);
    for (const [place, { rule }] of rules.entries()) {
      const telling = mostTelling(rule.demands, values);
      if (telling) put(place, telling, buckets);
      else others.push(place);
    }
    this.#buckets = [...buckets.values()];
    this.#others = others;
  }

  /** The first rule of those that a call may match for which `isIt` says so. It is asked of no rule after that one. */
  find(facts: CallFacts, isIt: (active: ActiveRule) => boolean): ActiveRule | undefined {
    const lists = this.#others.length > 0 ? [this.#others] : [];
    for (const { look, places } of this.#buckets) {
      const found = places.get(look(facts));
      if (found) lists.push(found);
    }
    const places = lists.length > 1 ? inOrder(lists) : (lists[0] ?? []);
    for (const place of places) if (isIt(this.rules[place]!)) return this.rules[place];
    return undefined;
  }
}

const fieldOf = ({ at }: Demand) => JSON.stringify(at);

function valuesByField(rules: readonly ActiveRule[]): Map<string, Set<unknown>> {
  const values = new Map<string, Set<unknown>>();
  for (const demand of rules.flatMap(({ rule }) => rule.demands)) {
    const known = values.get(fieldOf(demand)) ?? new Set();
    for (const key of demand.keys ?? []) known.add(key);
    values.set(fieldOf(demand), known);
  }
  return values;
}

/** The one in whose place the rules want the most different values. */
function mostTelling(
  demands: readonly Demand[],
  values: ReadonlyMap<string, Set<unknown>>,
): Demand | undefined {
  const variety = (demand: Demand) => values.get(fieldOf(demand))!.size;
  return demands
    .filter(({ keys }) => keys !== undefined)
    .toSorted((a, b) => variety(b) - variety(a))
    .at(0);
}

function put(place: number, demand: Demand, buckets: Map<string, Bucket>): void {
  const field = fieldOf(demand);
  const bucket = buckets.get(field) ?? { look: demand.look, places: new Map<unknown, number[]>() };
  buckets.set(field, bucket);
  for (const key of new Set(demand.keys)) {
    const places = bucket.places.get(key);
    if (places) places.push(place);
    else bucket.places.set(key, [place]);
  }
}

/** The lists as one, in order. No place is in two of them. */
function* inOrder(lists: readonly Places[]): Generator<number> {
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
