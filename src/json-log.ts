import { pino } from 'pino';
import type { Log, LogFields, LogLevel } from './log.ts';

type Level = Exclude<LogLevel, 'silent'>;

/** One line of JSON for each message: `level`, `time` (ISO 8601), the fields and `msg`. */
export function createJsonLog(level: LogLevel, tells: Log['tells'], write: (line: string) => void): Log {
  const logger = pino(
    {
      level,
      base: null, // neither the process's id nor the host's name
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (name) => ({ level: name }) },
    },
    { write },
  );
  const at =
    (name: Level) =>
    (line: string, fields: LogFields = {}) =>
      logger[name](fields, line);
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug'), tells };
}
