import { LOG_LEVELS, type Log, type LogFormat, type LogLevel } from './log.ts';

/** Loads the library that writes JSON only if it is needed, because it would slow down the start. */
export async function openLog(
  { logLevel, logFormat }: { logLevel: LogLevel; logFormat: LogFormat },
  write: (line: string) => void,
): Promise<Log> {
  if (logFormat === 'text') return createTextLog(logLevel, write);
  const { createJsonLog } = await import('./json-log.ts');
  return createJsonLog(logLevel, levelCheck(logLevel), write);
}

function createTextLog(level: LogLevel, write: (line: string) => void): Log {
  const tells = levelCheck(level);
  const at = (name: LogLevel) => (tells(name) ? (line: string) => write(`${name}: ${line}\n`) : () => {});
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug'), tells };
}

/** Whether lines of a level are written if `most` is the most detailed level. */
const levelCheck = (most: LogLevel) => (level: LogLevel) =>
  LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(most);
