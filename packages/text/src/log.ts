export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Members of a line in the format `json`, such as the status of a call. A text line does not show them. */
export type LogFields = Readonly<Record<string, unknown>>;

type WriteLine = (line: string, fields?: LogFields) => void;

/** Lines for the person who runs the program; they never contain secrets or bodies. */
export interface Log {
  error: WriteLine;
  warn: WriteLine;
  info: WriteLine;
  debug: WriteLine;
  /** Whether lines of that level are written, because some are costly to build. */
  tells: (level: LogLevel) => boolean;
}
