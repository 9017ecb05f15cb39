import { DEEPEST, Steps, UnusableSchema } from './steps.ts';

/** After so many errors, no more items or members of a value are checked. */
const MAX_ERRORS = 1000;
const STEPS_OF_ERROR = 5;
const STEPS_OF_PART = 2;

/** Where a value is: its name or index, and the place of the value that it is in. */
export interface Place {
  readonly step: string | number;
  readonly outer: Place | undefined;
}

/** The steps to a place from the params of a tool. */
export const pathOf = (place: Place | undefined): (string | number)[] =>
  place === undefined ? ['params'] : [...pathOf(place.outer), place.step];

/** What a keyword does not allow. */
export interface Breach {
  readonly keyword: string;
  readonly message: string;
  readonly place: Place | undefined;
  /** The schema that has the keyword. */
  readonly schema: unknown;
  /** The member that is missing or not allowed. */
  readonly name: string | undefined;
}

/** Checks a value by one keyword of a schema. */
export type Check = (run: Run, value: unknown, place: Place | undefined) => void;

/** A schema that is a part of another, or the whole one. */
export interface Part {
  readonly schema: unknown;
  readonly resource: Resource;
  readonly checks: readonly { readonly keyword: string; readonly check: Check }[];
}

/** The whole schema, or a part with an id of its own, which references and anchors in it are relative to. */
export interface Resource {
  readonly id: string;
  readonly root: unknown;
  readonly anchors: Map<string, Part>;
  readonly dynamicAnchors: Map<string, Part>;
}

/** Which members and items of a value the keywords of a schema have checked. */
class Evaluated {
  readonly names = new Set<string>();
  readonly indexes = new Set<number>();
  /** So many at the beginning. */
  items = 0;
}

/** One check of one value. */
export class Run extends Steps {
  readonly breaches: Breach[] = [];
  /** The resources that are being checked, the outermost first. */
  readonly scope: Resource[] = [];
  /** Of the value that is being checked. Undefined if no keyword of the schema asks. */
  evaluated: Evaluated | undefined;
  readonly #isAsked: boolean;
  #mostBreaches = MAX_ERRORS;
  #depth = 0;
  /** What is being checked: the message names it if the check takes too many steps. */
  #keyword = '';
  #place: Place | undefined;

  constructor(isAsked: boolean) {
    super();
    this.#isAsked = isAsked;
  }

  protected override where(): string {
    return `${this.#keyword} of ${pathOf(this.#place).join('.')}`;
  }

  report(keyword: string, message: string, schema: unknown, place: Place | undefined, name?: string): void {
    this.spend(STEPS_OF_ERROR);
    this.breaches.push({ keyword, message, schema, place, name });
  }

  /** Checks a member of an object, or an item of a list, and returns whether it is valid. */
  inside(part: Part, value: unknown, outer: Place | undefined, step: string | number): boolean {
    const own = this.evaluated;
    const isValid = this.#check(part, value, { step, outer });
    this.evaluated = own;
    return isValid;
  }

  /** Whether the value itself is valid: what a valid branch has evaluated is evaluated. */
  branch(part: Part, value: unknown, place: Place | undefined): boolean {
    const own = this.evaluated;
    const isValid = this.#check(part, value, place);
    if (own && isValid && this.evaluated) this.#merge(own, this.evaluated);
    this.evaluated = own;
    return isValid;
  }

  /** Whether a value is valid, without a report. */
  silently(isValid: () => boolean): boolean {
    const [before, most] = [this.breaches.length, this.#mostBreaches];
    this.#mostBreaches = 1;
    const result = isValid();
    this.#mostBreaches = most;
    this.forget(before);
    return result;
  }

  /** Takes the reports of branches back. */
  forget(before: number): void {
    this.breaches.length = before;
  }

  /** Whether so many items or members are wrong that the others make no difference. */
  isEnough(before: number): boolean {
    return this.breaches.length - before >= this.#mostBreaches;
  }

  #check({ checks, resource }: Part, value: unknown, place: Place | undefined): boolean {
    this.spend(STEPS_OF_PART + checks.length);
    this.#depth += 1;
    if (this.#depth > DEEPEST)
      throw new UnusableSchema(
        `${this.where()} is deeper than ${DEEPEST} levels of schemas: its references may go round in circles`,
      );
    const before = this.breaches.length;
    const isEntered = this.scope.at(-1) !== resource;
    if (isEntered) this.scope.push(resource);
    if (this.#isAsked) this.evaluated = new Evaluated();
    for (const { keyword, check } of checks) {
      [this.#keyword, this.#place] = [keyword, place];
      check(this, value, place);
    }
    if (isEntered) this.scope.pop();
    this.#depth -= 1;
    return this.breaches.length === before;
  }

  #merge(own: Evaluated, { names, indexes, items }: Evaluated): void {
    this.spend(names.size + indexes.size);
    own.items = Math.max(own.items, items);
    for (const name of names) own.names.add(name);
    for (const index of indexes) own.indexes.add(index);
  }
}
