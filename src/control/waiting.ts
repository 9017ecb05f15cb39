import type { Environment } from '../environment/environment.ts';
import type { EndReason, ActivityItem } from '../environment/activity.ts';
import type { ResetPart } from '../environment/save-point.ts';
import { ApiError, invalidArgument } from '../errors.ts';
import { parseDuration, DEFAULT_WAIT } from '../text/duration.ts';

/** What somebody waits for, and how long. */
export interface Wanted<T> {
  /** What was there before, as far as it counts; what comes is added. */
  found: T[];
  count: number;
  /** What of a piece of news counts. */
  take: (item: ActivityItem) => T | undefined;
  /** The part of the environment whose reset makes waiting pointless. */
  part: ResetPart;
  /** Real milliseconds, whatever the clock of the environment says. */
  milliseconds: number;
  signal: AbortSignal;
}

const LONGEST = 300_000;

/** Throws `invalid_argument` for more than a call may wait. */
export function readTimeout(timeout: string = DEFAULT_WAIT): number {
  const milliseconds = parseDuration(timeout) ?? 0;
  if (milliseconds > LONGEST) throw invalidArgument(`timeout: ${timeout} is longer than a call may wait, 5m`);
  return milliseconds;
}

/**
 * Resolves as soon as enough was found, or when time is up or the caller has left: then with less. Throws when nothing
 * more will come: the environment was reset or dropped, or the process stops.
 */
export async function gather<T>(environment: Environment, wanted: Wanted<T>): Promise<readonly T[]> {
  const { found, count, take, part, milliseconds, signal } = wanted;
  const { activity, name } = environment;
  if (found.length >= count || signal.aborted) return found;
  if (activity.endReason) throw over(name, activity.endReason);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(finish, milliseconds);
    const deafen = activity.subscribe((item) => {
      if (item.kind === 'end') finish(over(name, item.reason));
      else if (item.kind === 'reset' && item.parts.includes(part)) finish(over(name, 'reset'));
      const taken = take(item);
      if (taken !== undefined && found.push(taken) >= count) finish();
    });
    signal.addEventListener('abort', leave);

    function leave(): void {
      finish();
    }

    function finish(failure?: ApiError): void {
      clearTimeout(timer);
      deafen();
      signal.removeEventListener('abort', leave);
      if (failure) reject(failure);
      else resolve(found);
    }
  });
}

const over = (name: string, reason: EndReason | 'reset') =>
  reason === 'stopping'
    ? new ApiError('unavailable', 'understudy is stopping')
    : new ApiError('gone', `environment ${name} was ${reason} while somebody waited`);
