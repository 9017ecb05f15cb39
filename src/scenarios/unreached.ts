import type { Operation } from '../contract/compiled.ts';
import type { Rule } from './rule.ts';
import { MOST_TOLD } from './scenario-error.ts';
import type { On } from './target.ts';

/** Operations, and the first rule that takes every call of each. */
type Taken = ReadonlyMap<Operation, Rule>;

/** A line for each rule that no call can reach: rules before it take every call of its operations. */
export function warnOfUnreached(rules: readonly Rule[]): string[] {
  const taken = new Map<Operation, Rule>();
  const lines: string[] = [];
  let untold = 0;
  for (const rule of rules) {
    if (isTaken(rule, taken)) {
      if (lines.length < MOST_TOLD) lines.push(warningOf(rule, taken));
      else untold += 1;
    } else if (takesAll(rule)) {
      for (const operation of rule.target.operations) if (!taken.has(operation)) taken.set(operation, rule);
    }
  }
  return untold === 0 ? lines : [...lines, `and ${untold} more rules are never applied`];
}

const isTaken = ({ target: { operations } }: Rule, taken: Taken) =>
  taken.size > 0 && operations.length > 0 && operations.every((operation) => taken.has(operation));

function warningOf(rule: Rule, taken: Taken): string {
  const takers = [...new Set(rule.target.operations.map((operation) => taken.get(operation)!))];
  const verb = takers.length === 1 ? 'takes' : 'take';
  const told = `${takers.map(nameOf).join(' and ')} ${verb} every call of ${written(rule.on)} first`;
  return `${rule.place}: warning: never applied: ${told}`;
}

/** Whether no call of its operations passes it, now or ever. */
const takesAll = ({ demands, after, every, probability = 1, times, goesOn }: Rule) =>
  !goesOn && demands.length === 0 && after === 0 && every === 1 && probability === 1 && times === undefined;

const nameOf = ({ from, index, on }: Rule) =>
  `${from === undefined ? '' : `${from} `}rules[${index}] (on ${written(on)})`;

function written(on: On): string {
  if (typeof on === 'string') return on;
  return Array.isArray(on) ? on.join(', ') : [on.method, on.path].filter(Boolean).join(' ');
}
