import { pino } from 'pino';
import { levelCheck, type Log, type LogFields, type LogLevel } from './log.ts';

type Level = Exclude<LogLevel, 'silent'>;

/** One line of JSON for each message: `level`, `time` (ISO 8601), the fields and `msg`. */
export function createJsonLog(level: LogLevel, write: (line: string) => void): Log {
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
  const tells = levelCheck(level);
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug'), tells };
}
