export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Headers of an answer, in lower case; several cookies are several values of `set-cookie`. */
export type AnswerHeaders = Readonly<Record<string, string | string[]>>;
