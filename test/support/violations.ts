import type { FieldViolation } from '../../src/contract/errors.ts';

const ERROR_INFO = 'type.googleapis.com/scalekit.v1.errdetails.ErrorInfo';

/** The whole body of the error for a request that breaks rules of the contract. */
export const refusal = (...field_violations: FieldViolation[]) => ({
  code: 3,
  message: 'Validation error',
  details: [
    {
      '@type': ERROR_INFO,
      error_code: 'INVALID_ARGUMENT',
      validation_error_info: { field_violations },
    },
  ],
});

/** The whole body of any other error. */
export const failure = (code: number, error_code: string, message: string) => ({
  code,
  message,
  details: [{ '@type': ERROR_INFO, error_code }],
});

export const notFound = (message: string) => failure(5, 'RESOURCE_NOT_FOUND', message);

export const invalid = (message: string) => failure(3, 'INVALID_ARGUMENT', message);

const violation = (constraint: string, description: string) => (field: string) => ({
  field,
  description,
  constraint,
});

export const required = violation('required', 'value is required');

export const notAnEmail = violation('string.email', 'value must be a valid email address');

export const noPrefix = (prefix: string) =>
  violation('string.prefix', `value does not have prefix \`${prefix}\``);

export const tooShort = (least: number) =>
  violation('string.min_len', `value length must be at least ${least} characters`);

export const tooLong = (most: number) =>
  violation('string.max_len', `value length must be at most ${most} characters`);

export const tooManyPairs = (most: number) =>
  violation('map.max_pairs', `map must be at most ${most} entries`);

/** A map with `count` pairs. */
export const pairs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, 'value']));
