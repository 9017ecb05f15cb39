import { isObject } from '../json-object.ts';
import type { Commit } from './change-log.ts';
import { parseJson } from './json-source.ts';
import { type Flaw, flawInCommit, isPosition } from './shape.ts';

export interface LogEntry {
  position: number;
  commit: Commit;
}

/** Where each finished line begins. */
export function indexLog(content: Buffer): number[] {
  const starts: number[] = [];
  for (let start = 0; content.includes('\n', start); start = content.indexOf('\n', start) + 1)
    starts.push(start);
  return starts;
}

/** Every entry, or a StoreError that names the line where the log is not in order. */
export function parseLog(content: Buffer, first: { path: string; line: number }): LogEntry[] {
  const starts = indexLog(content);
  const entries: LogEntry[] = [];
  for (const [index, start] of starts.entries()) {
    const bytes = content.subarray(start, (starts[index + 1] ?? content.length) - 1);
    const before = entries.at(-1);
    const line = { path: first.path, line: first.line + index, bytes };
    const entry = parseJson(line, (value) => flawInEntry(value, before));
    const { position, ...commit } = entry as Commit & { position: number };
    entries.push({ position, commit });
  }
  return entries;
}

function flawInEntry(entry: unknown, before: LogEntry | undefined): Flaw | undefined {
  if (!isObject(entry) || !isPosition(entry.position))
    return { path: ['position'], problem: 'commit without a position' };
  if (before && entry.position !== before.position + 1) {
    return { path: ['position'], problem: `commit ${entry.position} follows commit ${before.position}` };
  }
  return flawInCommit(entry);
}
