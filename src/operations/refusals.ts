import { ApiError, validationError, type FieldViolation } from '../errors.ts';

/** Throws one error for all violations, if there are any. */
export function refuseViolations(violations: readonly FieldViolation[]): void {
  if (violations.length > 0) throw validationError(violations);
}

/** Throws for addresses that no browser can be sent to or that cannot be called. */
export function refuseAddresses(
  flaws: readonly (readonly [field: string, flaw: string | false | undefined])[],
): void {
  refuseViolations(
    flaws.flatMap(([field, description]) =>
      description ? [{ field, description, constraint: 'string.uri' }] : [],
    ),
  );
}

/** The message of the refusal, if the check throws one. */
export function refusalOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown.message;
    throw thrown;
  }
}
