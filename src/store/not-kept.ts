import { ApiError } from '../contract/errors.ts';
import { Overtaken, StoreError, StoreUnavailable } from './change-log.ts';

/** A change that could not be stored and therefore did not happen. */
export class NotKept extends ApiError {
  /** Whether the store cannot be used now, or another process uses this part of it. */
  readonly isPassing: boolean;
  /** Whether the same may succeed when it runs again, on what another process has changed. */
  readonly isOvertaken: boolean;

  constructor(cause: StoreError) {
    const title = 'The change could not be stored';
    // The store reports by itself that it cannot be used, once and not for each call.
    if (cause instanceof StoreUnavailable)
      super('unavailable', cause.message, { title, headers: { 'retry-after': String(cause.retryAfter) } });
    else
      super('unavailable', `the change was not stored, and nothing has changed: ${cause.message}`, {
        cause,
        title,
      });
    this.isPassing = cause instanceof StoreUnavailable;
    this.isOvertaken = cause instanceof Overtaken;
  }

  /** Leaves other errors as they are. */
  static of(thrown: unknown): unknown {
    return thrown instanceof StoreError ? new NotKept(thrown) : thrown;
  }
}
