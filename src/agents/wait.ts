import { unchecked, type Duration } from '../client/control.ts';
import type { Schema } from './tool.ts';

export interface WaitArguments {
  wait?: string;
  count?: number;
}

export const WAIT: Schema = {
  type: 'string',
  description:
    'How long to wait, in real time, if nothing matches yet, such as 5s; at most 5m. The clock of the environment does not matter.',
};

export const COUNT_TO_WAIT_FOR: Schema = {
  type: 'integer',
  minimum: 1,
  description: 'How many must match. Waits for 4s unless `wait` says otherwise.',
};

interface Waiting {
  count: number;
  options: { timeout?: Duration; signal: AbortSignal };
}

/** Undefined if the caller does not want to wait. */
export function waiting(
  { wait, count }: { wait?: string | undefined; count?: number | undefined },
  signal: AbortSignal,
): Waiting | undefined {
  if (wait === undefined && count === undefined) return undefined;
  return {
    count: count ?? 1,
    options: { signal, ...(wait !== undefined && { timeout: unchecked(wait) as unknown as Duration }) },
  };
}
