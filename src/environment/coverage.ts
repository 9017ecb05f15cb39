import { RuleUsage } from '../scenarios/rule-usage.ts';
import { uniqueId } from './ids.ts';
import type { RowChange } from './env.ts';
import type { Rows } from './rows/schema.ts';
import { Redaction } from './journal/redaction.ts';

/** How often each status was answered. */
export type Statuses = Map<number, number>;

/** What is counted of a call that was answered. */
export interface Counted {
  method: string;
  path: string;
  /** The operation's name with the number of its binding; undefined where the contract has none. */
  binding: string | undefined;
  /** undefined: the caller got no answer. */
  status: number | undefined;
  /** A scenario has answered with what the contract does not promise. */
  violated: boolean;
}

/** Most different calls outside the contract that are told apart. */
const MOST_STRANGERS = 200;
const LONGEST_PATH = 200;

/** What of the contract was seen. Counting a call costs the same however many came before. */
export class Coverage {
  /** By binding. */
  readonly answers = new Map<string, Statuses>();
  /** Those that a scenario wanted outside the contract, by binding. */
  readonly violations = new Map<string, Statuses>();
  /** Calls that the contract does not know, by method and path. */
  readonly strangers = new Map<string, Statuses>();
  /** How often events of each type happened. */
  readonly events = new Map<string, number>();
  readonly rules = new RuleUsage();
  #id: string | undefined;

  constructor(id?: string) {
    this.#id = id;
  }

  /** Of what is counted from zero on: no two counts in the environment have the same. */
  get id(): string {
    return (this.#id ??= uniqueId());
  }

  count({ method, path, binding, status, violated }: Counted): void {
    if (status === undefined) return;
    if (binding === undefined) return add(this.strangers, this.#stranger(method, path), status, 1);
    add(this.answers, binding, status, 1);
    if (violated) add(this.violations, binding, status, 1);
  }

  /** The events among the changes: each is one that has happened. */
  countEvents(changes: readonly RowChange[]): void {
    for (const { collection, before, after } of changes)
      if (collection === 'events' && after && !before) this.#countEvent((after as Rows['events']).type, 1);
  }

  absorb(other: Coverage): void {
    for (const [type, times] of other.events) this.#countEvent(type, times);
    merge(this.answers, other.answers);
    merge(this.violations, other.violations);
    for (const [name, statuses] of other.strangers)
      merge(this.strangers, new Map([[this.#toldApart(name), statuses]]));
    this.rules.absorb(other.rules);
  }

  forget(): void {
    for (const counts of [this.answers, this.violations, this.strangers, this.events]) counts.clear();
    this.rules.forget();
    this.renew();
  }

  /** What is counted is no longer more of the same: a part of it was forgotten. */
  renew(): void {
    this.#id = undefined;
  }

  /** A report is shown around: it never has the secrets of a path. */
  #stranger(method: string, whole: string): string {
    const path = new Redaction().text(whole);
    return this.#toldApart(
      `${method} ${path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path}`,
    );
  }

  #countEvent(type: string, times: number): void {
    this.events.set(type, (this.events.get(type) ?? 0) + times);
  }

  #toldApart(name: string): string {
    return this.strangers.size < MOST_STRANGERS || this.strangers.has(name) ? name : OTHERS;
  }
}

/** Calls outside the contract beyond those that are told apart. */
export const OTHERS = '* *';

function add(counts: Map<string, Statuses>, key: string, status: number, times: number): void {
  const statuses = counts.get(key);
  if (statuses) statuses.set(status, (statuses.get(status) ?? 0) + times);
  else counts.set(key, new Map([[status, times]]));
}

function merge(into: Map<string, Statuses>, from: ReadonlyMap<string, Statuses>): void {
  for (const [key, statuses] of from) for (const [status, times] of statuses) add(into, key, status, times);
}
