import type { Schema } from './compiled.ts';

const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE = ['0', 'f', 'F', 'FALSE', 'false', 'False'];
const BOOLEANS = new Map<unknown, boolean>([
  ...TRUE.map((text) => [text, true] as const),
  ...FALSE.map((text) => [text, false] as const),
]);

const DECIMAL = /^[+-]?[0-9]+$/;
const UNREADABLE = {};

/**
 * The value of a query parameter that is not a list, as gateways of gRPC in Go read it (grpc-gateway,
 * runtime/query.go, with strconv). What cannot be read is returned as a value that the schema refuses, because the
 * validator would read more, such as `0x10` and `1e1`. Unverified: the service's gateway is not known.
 */
export function readQueryValue(given: unknown, { type }: Schema): unknown {
  if (type === 'boolean') return BOOLEANS.get(given) ?? given;
  if (type === 'integer') return typeof given === 'string' && DECIMAL.test(given) ? given : UNREADABLE;
  return given;
}

const WANTED: Readonly<Record<string, string>> = {
  boolean: `value must be one of ${[...TRUE, ...FALSE].join(', ')}`,
  integer: 'value must be one integer in decimal digits',
  string: 'value must be given once',
};

/** What a query parameter accepts, for a value of another type. */
export const wantedOfQuery = ({ type }: Schema): string | undefined => WANTED[String(type)];
