export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Lines for the person who runs the program; never a secret, never a body. */
export interface Log {
  error: (line: string) => void;
  warn: (line: string) => void;
  info: (line: string) => void;
  debug: (line: string) => void;
}

export function createLog(level: LogLevel, write: (line: string) => void): Log {
  const most = LOG_LEVELS.indexOf(level);
  const at = (name: LogLevel) => (line: string) => {
    if (LOG_LEVELS.indexOf(name) <= most) write(`${name}: ${line}\n`);
  };
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}
