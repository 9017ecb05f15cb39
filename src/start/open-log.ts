import { machineTime } from '../state/clock.ts';
import { LOG_LEVELS, type Log, type LogFields, type LogFormat, type LogLevel } from '@understudy/text/log';

type WriteLevel = Exclude<LogLevel, 'silent'>;
type Line = (level: WriteLevel, message: string, fields?: LogFields) => string;

/** The log of the program, in the format and with the levels of the settings. */
export function openLog(
  { logLevel, logFormat }: { logLevel: LogLevel; logFormat: LogFormat },
  write: (line: string) => void,
): Log {
  const tells = levelCheck(logLevel);
  const line = logFormat === 'json' ? jsonLine : textLine;
  const at = (level: WriteLevel) =>
    tells(level)
      ? (message: string, fields?: LogFields) => write(`${line(level, message, fields)}\n`)
      : () => {};
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug'), tells };
}

const textLine: Line = (level, message) => `${level}: ${message}`;

/** `level`, `time` (ISO 8601), the fields and `msg`. */
const jsonLine: Line = (level, msg, fields) =>
  JSON.stringify({ level, time: new Date(machineTime()).toISOString(), ...fields, msg });

/** Whether lines of a level are written if `most` is the most detailed level. */
const levelCheck = (most: LogLevel) => (level: LogLevel) =>
  LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(most);
