import { checksumOf, withChecksum } from '@understudy/text/checksum';
import { isObject } from '@understudy/text/json';
import { flawInCommit, isPosition, type Commit, type Flaw } from './change-log.ts';
import { damagedAt, parseJson, type JsonSource } from './stored-json.ts';

/** One line of a change log. */
interface LogEntry {
  position: number;
  commit: Commit;
  /** Lines of earlier versions have no checksum. */
  isChecked: boolean;
  /** Whether `foldedLine` made this line. */
  isFolded: boolean;
}

export const lineOf = (position: number, commit: Commit): Buffer => checked({ position, ...commit });

/**
 * The first line of a log whose earlier commits, up to this position, are in a snapshot. If the snapshot is missing, this line
 * shows that commits are lost. Earlier versions of Understudy take the line for a commit that is in the snapshot.
 */
export const foldedLine = (position: number): Buffer =>
  checked({ position, changes: [], marks: null, folded: true });

const checked = (line: object) => Buffer.from(`${withChecksum(JSON.stringify(line))}\n`);

/** The offset of each complete line. */
export function indexLog(content: Buffer): number[] {
  const starts: number[] = [];
  for (let start = 0, end; (end = content.indexOf('\n', start)) >= 0; start = end + 1) starts.push(start);
  return starts;
}

/** Reads all lines. Throws a StoreError, whose message names the line, if one is damaged. */
export function parseLog(content: Buffer, first: { path: string; line: number }): LogEntry[] {
  const starts = indexLog(content);
  const entries: LogEntry[] = [];
  for (const [index, start] of starts.entries()) {
    const bytes = content.subarray(start, (starts[index + 1] ?? content.length) - 1);
    entries.push(parseLine({ path: first.path, line: first.line + index, bytes }, entries.at(-1)));
  }
  return entries;
}

function parseLine(line: JsonSource, before: LogEntry | undefined): LogEntry {
  const checksum = checksumOf(line.bytes);
  if (checksum === 'wrong') throw damagedLine(line, 'the line does not fit its checksum');
  if (checksum === 'missing' && before?.isChecked)
    throw damagedLine(line, 'the line has no checksum, although the line before has one');
  const entry = parseJson(line, (value) => flawInEntry(value, before)) as Commit & StoredMembers;
  const { position, crc32, folded, ...commit } = entry;
  if (checksum === 'missing' && crc32 !== undefined) throw damagedLine(line, 'the checksum is damaged');
  return { position, commit, isChecked: checksum === 'right', isFolded: folded === true };
}

/** The members of a line that do not belong to its commit. */
interface StoredMembers {
  position: number;
  crc32?: string;
  folded?: true;
}

const MEMBERS = new Set(['position', 'base', 'changes', 'marks', 'folded', 'crc32']);

function damagedLine({ path, line }: JsonSource, problem: string) {
  const cure = 'remove this line and all later ones, which loses their changes';
  return damagedAt({ path, line, column: 1 }, problem, { cure });
}

function flawInEntry(entry: unknown, before: LogEntry | undefined): Flaw | undefined {
  if (!isObject(entry) || !isPosition(entry.position))
    return { path: ['position'], problem: 'commit without a position' };
  if (before && entry.position !== before.position + 1) {
    return { path: ['position'], problem: `commit ${entry.position} follows commit ${before.position}` };
  }
  const other = Object.keys(entry).find((name) => !MEMBERS.has(name));
  if (other !== undefined)
    return { path: [other], problem: `${JSON.stringify(other)} is not known in a commit` };
  return flawInCommit(entry);
}

/**
 * Refuses bytes after the last complete line that no interrupted write has left: such a write ends inside of its line,
 * but here a whole line is there, and another byte in place of its end.
 */
export function refuseUnlessTorn(line: JsonSource): void {
  const text = line.bytes.toString('latin1');
  for (const { index, 0: end } of text.matchAll(/,"crc32":"[0-9a-f]{8}"\}./gs))
    if (checksumOf(line.bytes.subarray(0, index + end.length - 1)) === 'right')
      throw damagedLine(line, 'the line does not end with a line break');
}
