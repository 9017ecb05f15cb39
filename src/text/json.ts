export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Response headers in lower case; several cookies are a list under `set-cookie`. */
export type AnswerHeaders = Readonly<Record<string, string | string[]>>;

/** A text as it is, nothing as the empty text, and anything else as JSON. */
export function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
