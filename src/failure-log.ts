import { ApiError } from './errors.ts';
import type { Log } from './log.ts';
import { StoreError } from './store/change-log.ts';

/** Logs the cause of an internal error, which the caller must not see. */
export function reporter(log: Log) {
  return (what: string, cause: unknown) => log.error(`${what}: ${described(cause)}`);
}

/** Errors of the disk are not bugs, so their stack is not logged. */
function described(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause instanceof StoreError || cause instanceof ApiError
    ? cause.message
    : (cause.stack ?? cause.message);
}
