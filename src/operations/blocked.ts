import { ApiError } from '../contract/errors.ts';
import type { Operations } from './handler.ts';

/**
 * Refuses an operation that the vendor's .proto files declare without an authentication, which blocks it for every caller
 * (comments there). Unverified (requests/blocked-operations): the error.
 */
export function blocked(): never {
  throw new ApiError('permission_denied', 'the service blocks this operation for every caller').decidedBy(
    'requests/blocked-operations',
  );
}

export const dummy = {
  Dummy_DummyService: blocked,
} satisfies Partial<Operations>;
