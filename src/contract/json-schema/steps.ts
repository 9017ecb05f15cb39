/** A step takes some tens of nanoseconds, so that these take less than a tenth of a second. */
const MAX_STEPS = 1_000_000;

/** How many characters are counted or compared in a step. */
const CHARACTERS = 20;
/** Listing the members of a large object is slow. */
const STEPS_OF_NAME = 8;

/** Levels of schemas: values and schemas are nested less deep, but references may go round in circles. */
export const DEEPEST = 400;

/** The message says why a schema cannot be used. */
export class UnusableSchema extends Error {}

/** Counts what reading a schema or checking a value costs. */
export abstract class Steps {
  #left = MAX_STEPS;
  #listed: { of: object; names: readonly string[] } | undefined;
  #measured = { text: '', length: 0 };

  /** The keyword and the place that it has come to. */
  protected abstract where(): string;

  /** Throws UnusableSchema if it costs too much. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new UnusableSchema(`it takes more than ${MAX_STEPS} steps, at ${this.where()}`);
  }

  /** The names of the object's members. They are kept, because several keywords of a schema ask for the names of one object. */
  namesOf(value: object): readonly string[] {
    if (this.#listed?.of !== value) {
      const names = Object.keys(value);
      this.spend(STEPS_OF_NAME * names.length);
      this.#listed = { of: value, names };
    }
    return this.#listed.names;
  }

  /** The number of Unicode characters in the text. A surrogate pair counts as one. */
  lengthOf(text: string): number {
    if (this.#measured.text !== text) {
      this.spend(Math.floor(text.length / CHARACTERS));
      let length = 0;
      for (let at = 0; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) length += 1;
      this.#measured = { text, length };
    }
    return this.#measured.length;
  }

  /** Whether two values of JSON are equal. */
  areEqual(a: unknown, b: unknown): boolean {
    this.spend(typeof a === 'string' ? 1 + Math.floor(a.length / CHARACTERS) : 1);
    if (a === b) return true;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (Array.isArray(a)) {
      if (!Array.isArray(b) || a.length !== b.length) return false;
      return a.every((item, index) => this.areEqual(item, b[index]));
    }
    if (Array.isArray(b)) return false;
    const names = Object.keys(a);
    this.spend(STEPS_OF_NAME * names.length);
    const [first, second] = [a as Record<string, unknown>, b as Record<string, unknown>];
    if (!names.every((name) => Object.hasOwn(second, name))) return false;
    return (
      Object.keys(b).length === names.length &&
      names.every((name) => this.areEqual(first[name], second[name]))
    );
  }
}
