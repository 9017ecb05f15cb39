import type { Environment } from '../environment/environment.ts';
import type { EndReason, ActivityItem } from '../environment/activity.ts';
import type { ResetPart } from '../environment/save-point.ts';
import { ApiError, invalidArgument, stopping } from '../errors.ts';
import { parseDuration, DEFAULT_WAIT } from '../text/duration.ts';

/** What a control call waits for, and how long. */
export interface WaitOptions<T> {
  /** Matches so far; new ones are appended. */
  found: T[];
  count: number;
  /** Returns the new matches in an activity item. */
  take: (item: ActivityItem) => readonly T[];
  /** A call that waits ends with 410 when this part of the environment is reset. */
  part: ResetPart;
  /** Real time, independent of the environment's clock. */
  milliseconds: number;
  signal: AbortSignal;
}

const LONGEST = 300_000;

/** Throws `invalid_argument` above the longest allowed wait. */
export function readTimeout(timeout: string = DEFAULT_WAIT): number {
  const milliseconds = parseDuration(timeout) ?? 0;
  if (milliseconds > LONGEST) throw invalidArgument(`timeout: ${timeout} is longer than a call may wait, 5m`);
  return milliseconds;
}

/**
 * Resolves when enough matches are found, or with fewer after the timeout or when the caller disconnects.
 * Throws if the environment is reset or dropped, or the process stops.
 */
export async function gatherMatches<T>(
  environment: Environment,
  wanted: WaitOptions<T>,
): Promise<readonly T[]> {
  const { found, count, take, part, milliseconds, signal } = wanted;
  const { activity, name } = environment;
  if (found.length >= count || signal.aborted) return found;
  if (activity.endReason) throw waitEnded(name, activity.endReason);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(finish, milliseconds);
    const deafen = activity.subscribe((item) => {
      if (item.kind === 'end') finish(waitEnded(name, item.reason));
      else if (item.kind === 'reset' && item.parts.includes(part)) finish(waitEnded(name, 'reset'));
      if (found.push(...take(item)) >= count) finish();
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

const waitEnded = (name: string, reason: EndReason | 'reset') =>
  reason === 'stopping'
    ? stopping()
    : new ApiError('gone', `environment ${name} was ${reason} while this call waited`);
