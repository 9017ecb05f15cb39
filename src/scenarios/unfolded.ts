import type { Complaints } from './complaints.ts';
import type { Path } from './path.ts';

/** What all values that are filled in may have, in characters. */
const LARGEST = 1_000_000;

/** How much the placeholders of one scenario unfold to: a large value in many places would be millions of them. */
export class Unfolded {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #complaints: Complaints;
  /** Of values, as JSON, by parameter. */
  readonly #sizes = new Map<string, number>();
  #left = LARGEST;

  constructor(values: ReadonlyMap<string, unknown>, complaints: Complaints) {
    this.#values = values;
    this.#complaints = complaints;
  }

  /** One more place of a parameter. Throws ScenarioError when there are too many. */
  note(name: string, path: Path): void {
    this.#left -= this.#sizeOf(name);
    if (this.#left >= 0) return;
    this.#complaints.add(path, `the placeholders unfold to more than ${LARGEST} characters`);
    this.#complaints.giveUp();
  }

  #sizeOf(name: string): number {
    const known = this.#sizes.get(name);
    if (known !== undefined) return known;
    const value = this.#values.get(name);
    const size = typeof value === 'symbol' ? 0 : JSON.stringify(value ?? null).length;
    this.#sizes.set(name, size);
    return size;
  }
}
