/** Headers of an answer, in lower case; several cookies are several values of `set-cookie`. */
export type AnswerHeaders = Readonly<Record<string, string | string[]>>;
