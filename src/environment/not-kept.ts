import { ApiError } from '../errors.ts';
import { StoreError } from '../store/change-log.ts';

/** A change that could not be written to disk and therefore did not happen. */
export class NotKept extends ApiError {
  constructor(cause: StoreError) {
    super('unavailable', `the change was not kept, nothing has changed: ${cause.message}`, {
      cause,
      title: 'The change could not be kept',
    });
  }

  /** Leaves other errors as they are. */
  static of(thrown: unknown): unknown {
    return thrown instanceof StoreError ? new NotKept(thrown) : thrown;
  }
}
