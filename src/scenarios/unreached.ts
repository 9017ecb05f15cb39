import type { Rule } from './rule.ts';
import type { On } from './target.ts';

/** A line for each rule that no call can reach: rules before it take every call of its operations. */
export const warnOfUnreached = (rules: readonly Rule[]): string[] =>
  rules.flatMap((rule, index) => {
    const takers = takersOf(rule, rules.slice(0, index).filter(takesAll));
    if (takers.length === 0) return [];
    const verb = takers.length === 1 ? 'takes' : 'take';
    const told = `${takers.map(nameOf).join(' and ')} ${verb} every call of ${written(rule.on)} first`;
    return [`${rule.place}: warning: never applied: ${told}`];
  });

/** Those that a call meets first; none when there is an operation that nobody takes. */
function takersOf({ target: { operations } }: Rule, greedy: readonly Rule[]): Rule[] {
  const first = operations.map((operation) =>
    greedy.find(({ target }) => target.operations.includes(operation)),
  );
  const takers = first.filter((taker) => taker !== undefined);
  return takers.length === operations.length ? [...new Set(takers)] : [];
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
