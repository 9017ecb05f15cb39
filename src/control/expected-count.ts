import { invalidArgument } from '../errors.ts';

/** How many there should be; nothing said: at least one. */
export interface Times {
  times?: number;
  at_least?: number;
  at_most?: number;
}

/** Throws `invalid_argument` for what no count can meet. */
export function countOf({ times, at_least, at_most }: Times): {
  isMet: (count: number) => boolean;
  expected: string;
} {
  if (times !== undefined && (at_least !== undefined || at_most !== undefined))
    throw invalidArgument('times: says how many already; leave it out, or at_least and at_most');
  const least = times ?? at_least ?? (at_most === undefined ? 1 : 0);
  const most = times ?? at_most ?? Infinity;
  if (least > most) throw invalidArgument(`at_least: ${least} is more than at_most, ${most}`);
  return { isMet: (count) => count >= least && count <= most, expected: wordsOf(least, most) };
}

function wordsOf(least: number, most: number): string {
  if (least === most) return `exactly ${callsThat(least)}`;
  if (most === Infinity) return `at least ${callsThat(least)}`;
  return least === 0 ? `at most ${callsThat(most)}` : `${least} to ${callsThat(most)}`;
}

const callsThat = (count: number) => `${count} ${count === 1 ? 'call that matches' : 'calls that match'}`;
