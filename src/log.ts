import type { Config } from './config.ts';

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

/** Loads the library that writes JSON only if it is needed, because it would slow down the start. */
export async function openLog(
  { logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
  write: (line: string) => void,
): Promise<Log> {
  if (logFormat === 'text') return createTextLog(logLevel, write);
  const { createJsonLog } = await import('./json-log.ts');
  return createJsonLog(logLevel, write);
}

function createTextLog(level: LogLevel, write: (line: string) => void): Log {
  const tells = levelCheck(level);
  const at = (name: LogLevel) => (tells(name) ? (line: string) => write(`${name}: ${line}\n`) : () => {});
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug'), tells };
}

/** Whether lines of a level are written if `most` is the most detailed level. */
export const levelCheck = (most: LogLevel) => (level: LogLevel) =>
  LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(most);
