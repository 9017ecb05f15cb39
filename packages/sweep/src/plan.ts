import { createHash } from 'node:crypto';
import type { Failure } from './catalogue.ts';
import { groupsOf } from './groups.ts';
import type { TestRun } from './runs/seen.ts';
import type { Injection } from './runs/watched-service.ts';
import { Targets, type Target } from './target.ts';

/** One failure at one call, for all tests that reach it. */
export interface Case {
  /** Starts at 1, in the order of running. */
  number: number;
  /** Identifies the case in files. */
  key: string;
  failure: Failure;
  operation: string;
  nth: number;
  /** Names of tests; undefined: the suite as a whole. */
  tests: readonly (string | undefined)[];
  injection: Injection;
  control: Injection | undefined;
  /** Tests that call the same operations in the same order, so one of them stands for the others. */
  alike: readonly string[];
}

/** The place of a call in a test: the first call of its operation, or the second. */
interface Reached {
  target: Target;
  test: string | undefined;
  /** The same for tests that do the same. */
  sequence: string;
}

const MOST_TOLD = 2;

/** Makes the cases of the first run, the most telling first. */
export function planOf(tests: readonly TestRun[], failures: readonly Failure[]): Case[] {
  const targets = new Targets();
  const groups = groupsOf(
    tests.flatMap((run) => reachedBy(run, targets)),
    ({ target }) => `${target.operation} ${target.nth}`,
  );
  const cases = failures.flatMap((failure) =>
    [...groups.values()].flatMap((reached) => caseOf(failure, reached) ?? []),
  );
  const ranked = cases.toSorted(
    (a, b) =>
      a.nth - b.nth ||
      failures.indexOf(a.failure) - failures.indexOf(b.failure) ||
      (a.operation < b.operation ? -1 : a.operation > b.operation ? 1 : 0),
  );
  return ranked.map((each, index) => ({ ...each, number: index + 1 }));
}

/** The tests that call an operation, or get an event, by its name. */
export function reachingTests(tests: readonly TestRun[]): Map<string, Set<string | undefined>> {
  const reaching = new Map<string, Set<string | undefined>>();
  for (const { test, calls, deliveries } of tests)
    for (const name of [
      ...calls.map(({ operation }) => operation),
      ...deliveries.map(({ event }) => `webhook.${event}`),
    ])
      reaching.set(name, (reaching.get(name) ?? new Set()).add(test));
  return reaching;
}

function caseOf(failure: Failure, reached: readonly Reached[]): Omit<Case, 'number'> | undefined {
  const possible = reached.filter(({ target }) => failure.at(target) !== undefined);
  const [first] = possible;
  if (!first) return undefined;
  const { operation, nth } = first.target;
  const bySequence = [...groupsOf(possible, ({ sequence }) => sequence).values()];
  return {
    key: `${operation} ${failure.name} ${nth + 1}`,
    failure,
    operation,
    nth,
    tests: bySequence.map(([each]) => each!.test),
    alike: bySequence.flatMap(([, ...others]) => others.map(({ test }) => test ?? '')),
    injection: failure.at(first.target)!,
    control: failure.control?.(first.target),
  };
}

function reachedBy({ test, calls, deliveries }: TestRun, targets: Targets): Reached[] {
  const sequence = digestOf([
    ...calls.map(({ operation, status }) => `${operation} ${status}`),
    ...deliveries.map(({ event }) => event),
  ]);
  const byOperation = [...groupsOf(calls, ({ operation }) => operation).values()];
  const byEvent = [...groupsOf(deliveries, ({ event }) => event)];
  const found = [
    ...byOperation.flatMap((all) => all.slice(0, MOST_TOLD).map((call, nth) => targets.ofCall(call, nth))),
    ...byEvent.flatMap(([event, all]) =>
      all.slice(0, MOST_TOLD).map((_, nth) => targets.ofEvent(event, nth, deliveries.length > 1)),
    ),
  ];
  return found.map((target) => ({ target, test, sequence }));
}

const digestOf = (words: readonly string[]) =>
  createHash('sha256').update(words.join('\n')).digest('hex').slice(0, 12);
