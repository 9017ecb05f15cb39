import { ApiError, type FieldViolation } from '../errors.ts';

/** A fixture that can't be used: one line for a person, naming the file, the path in it and the reason. */
export class FixtureError extends Error {
  /** Every mistake that was found, where they are in its rows; the message has the first. */
  readonly violations: readonly FieldViolation[];

  constructor(message: string, violations: readonly FieldViolation[] = []) {
    super(message);
    this.violations = violations;
  }

  /** Of the file, with the first of these; there must be one. */
  static of(file: string, violations: readonly FieldViolation[]): FixtureError {
    const [{ field, description }] = violations as [FieldViolation];
    return new FixtureError(`${file}: ${field}: ${description}`, violations);
  }

  /** For whoever has asked for it by a call. */
  refusal(): ApiError {
    return new ApiError('invalid_argument', this.message, { violations: this.violations });
  }
}
