import type { Trace } from './types.ts';

type Step = Trace['steps'][number];

/** One line for each step, below the one that caused it. */
export const traceLines = ({ steps, not_shown }: Trace): string[] => [
  ...steps.map((step) => `${'  '.repeat(step.depth)}${nameOf(step)}${step.text}${timesOf(step)}`),
  ...(not_shown === undefined ? [] : [`and ${not_shown} more`]),
];

const nameOf = ({ kind, call }: Step) => (kind === 'call' && call !== undefined ? `${call} ` : '');

/** Such times count as the same. */
const CLOSE = 1000;

/** By the clock of the environment, and by that of the machine where it says another time. */
function timesOf({ kind, time, machine_time }: Step): string {
  if (time === undefined) return '';
  const at = kind === 'due' ? `due ${time}` : time;
  const isOther = machine_time !== undefined && Math.abs(Date.parse(machine_time) - Date.parse(time)) > CLOSE;
  return ` [${at}${isOther ? `; machine ${machine_time}` : ''}]`;
}
