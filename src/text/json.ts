export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Response headers in lower case; several cookies are a list under `set-cookie`. */
export type AnswerHeaders = Readonly<Record<string, string | string[]>>;
