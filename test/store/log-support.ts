import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { FileLog } from '../../src/store/file-log.ts';
import { failOnWarning, makeFolder, put } from './support.ts';

export function openLog(path: string, warn: (message: string) => void = failOnWarning): FileLog {
  const log = FileLog.open({ path, warn });
  onTestFinished(() => log.close());
  return log;
}

export function logOf(count: number): { path: string; log: FileLog } {
  const path = join(makeFolder(), 'default.log');
  const log = openLog(path);
  for (let position = 0; position < count; position++)
    log.append(position, put(`org_${position}`, 'Acme', position));
  return { path, log };
}
