export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Lines for the person who runs the program; they never contain secrets or bodies. */
export interface Log {
  error: (line: string) => void;
  warn: (line: string) => void;
  info: (line: string) => void;
  debug: (line: string) => void;
  /** Whether lines of that level are written, because some are costly to build. */
  tells: (level: LogLevel) => boolean;
}

export function createLog(level: LogLevel, write: (line: string) => void): Log {
  const most = LOG_LEVELS.indexOf(level);
  const tells = (name: LogLevel) => LOG_LEVELS.indexOf(name) <= most;
  const at = (name: LogLevel) => (tells(name) ? (line: string) => write(`${name}: ${line}\n`) : () => {});
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug'), tells };
}
