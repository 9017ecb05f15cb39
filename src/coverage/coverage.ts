import { RuleUsage } from '../scenarios/active-rule.ts';
import { uniqueId } from '../state/ids.ts';
import type { RowChange, Rows } from '../state/env.ts';
import { Redaction } from '../journal/redaction.ts';

export type CountByStatus = Map<number, number>;

interface CountedCall {
  method: string;
  path: string;
  /** The operation's name with the number of its path; undefined for calls outside the contract. */
  binding: string | undefined;
  /** Undefined if no answer was sent. */
  status: number | undefined;
  /** Whether a scenario answered outside the contract. */
  violated: boolean;
}

/** Calls outside the contract that are counted separately. */
const MAX_STRANGERS = 200;
const MAX_PATH_LENGTH = 200;

/** Counts what was used of the contract. The cost of counting a call is constant. */
export class Coverage {
  /** By operation and path. */
  readonly answers = new Map<string, CountByStatus>();
  /** Answers outside the contract that a scenario forced, by operation and path. */
  readonly violations = new Map<string, CountByStatus>();
  /** Calls outside the contract, by method and path. */
  readonly strangers = new Map<string, CountByStatus>();
  /** Recorded events by type. */
  readonly events = new Map<string, number>();
  readonly rules = new RuleUsage();
  #id: string | undefined;

  constructor(id?: string) {
    this.#id = id;
  }

  /** Changes when counting starts again from zero. */
  get id(): string {
    return (this.#id ??= uniqueId());
  }

  count({ method, path, binding, status, violated }: CountedCall): void {
    if (status === undefined) return;
    if (binding === undefined) return add(this.strangers, this.#unknownCallKey(method, path), status, 1);
    add(this.answers, binding, status, 1);
    if (violated) add(this.violations, binding, status, 1);
  }

  countEvents(changes: readonly RowChange[]): void {
    for (const { collection, before, after } of changes)
      if (collection === 'events' && after && !before) this.#countEvent((after as Rows['events']).type, 1);
  }

  addCountsOf(other: Coverage): void {
    for (const [type, times] of other.events) this.#countEvent(type, times);
    merge(this.answers, other.answers);
    merge(this.violations, other.violations);
    for (const [name, statuses] of other.strangers)
      merge(this.strangers, new Map([[this.#separateKey(name), statuses]]));
    this.rules.addCountsOf(other.rules);
  }

  reset(): void {
    for (const counts of [this.answers, this.violations, this.strangers, this.events]) counts.clear();
    this.rules.resetHits();
    this.renewId();
  }

  /** Marks the counts as new, because a part of them was reset. */
  renewId(): void {
    this.#id = undefined;
  }

  /** Reports are passed around, so paths are stored without secrets. */
  #unknownCallKey(method: string, whole: string): string {
    const path = new Redaction().text(whole);
    return this.#separateKey(
      `${method} ${path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path}`,
    );
  }

  #countEvent(type: string, times: number): void {
    this.events.set(type, (this.events.get(type) ?? 0) + times);
  }

  #separateKey(name: string): string {
    return this.strangers.size < MAX_STRANGERS || this.strangers.has(name) ? name : OTHER_UNKNOWN_CALLS;
  }
}

/** The key for all further calls outside the contract. */
const OTHER_UNKNOWN_CALLS = '* *';

function add(counts: Map<string, CountByStatus>, key: string, status: number, times: number): void {
  const statuses = counts.get(key);
  if (statuses) statuses.set(status, (statuses.get(status) ?? 0) + times);
  else counts.set(key, new Map([[status, times]]));
}

function merge(into: Map<string, CountByStatus>, from: ReadonlyMap<string, CountByStatus>): void {
  for (const [key, statuses] of from) for (const [status, times] of statuses) add(into, key, status, times);
}

interface Covered {
  readonly coverage: Coverage;
}

/** The coverage of all environments, also of those that this process no longer has. */
export class TotalCoverage {
  readonly #gone = new Coverage();

  /** The environment leaves this process. */
  keep({ coverage }: Covered): void {
    this.#gone.addCountsOf(coverage);
  }

  whole(present: readonly Covered[]): Coverage {
    const whole = new Coverage(this.#gone.id);
    for (const { coverage } of [{ coverage: this.#gone }, ...present]) whole.addCountsOf(coverage);
    return whole;
  }

  /** Resets the coverage of one environment. */
  resetOne({ coverage }: Covered): void {
    coverage.reset();
    this.#gone.renewId();
  }

  resetAll(present: readonly Covered[]): void {
    for (const { coverage } of present) coverage.reset();
    this.#gone.reset();
    this.#gone.renewId();
  }
}
