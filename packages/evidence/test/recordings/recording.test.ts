import { appendFileSync, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readRecording, RecordingWriter } from '../../src/recordings/recording.ts';
import { exchange } from './exchanges.ts';

const HEAD = { service: 'https://acme.example', began: '2026-03-01T09:00:00.000Z', understudy: '1.0.0' };

let folder: string;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'recording-')), 'out');
});

const written = (...numbers: number[]) => {
  const writer = new RecordingWriter(folder, HEAD);
  for (const n of numbers) writer.write(exchange({ n }));
  return writer;
};

const transcript = () => join(folder, 'transcript.jsonl');

test('a recording is read in the order in which its calls began', () => {
  written(2, 1, 3);

  const { head, exchanges } = readRecording(folder);

  expect(head).toEqual({ format: 1, ...HEAD });
  expect(exchanges.map(({ n }) => n)).toEqual([1, 2, 3]);
});

test('only the owner may read a transcript', () => {
  written(1);
  expect(statSync(transcript()).mode & 0o777).toBe(0o600);
});

test('a line that was cut off is ignored, and gone when the recording goes on', () => {
  written(1);
  appendFileSync(transcript(), '{"n":2,"request":{"text":"ü');
  expect(readRecording(folder).exchanges.map(({ n }) => n)).toEqual([1]);

  const writer = written();
  expect(writer.next()).toBe(2);
  writer.write(exchange({ n: 2 }));

  expect(readRecording(folder).exchanges.map(({ n }) => n)).toEqual([1, 2]);
});

test('a recording of another service does not go on', () => {
  written(1);
  const other = () => new RecordingWriter(folder, { ...HEAD, service: 'https://other.example' });
  expect(other).toThrow(`${folder}: it is a recording of https://acme.example, not of https://other.example`);
});

test('a folder with other files is no place for a recording', () => {
  const parent = join(folder, '..');
  writeFileSync(join(parent, 'notes.txt'), 'mine');

  expect(() => new RecordingWriter(parent, HEAD)).toThrow('it holds other files, such as notes.txt');

  expect(existsSync(join(parent, 'recording.json'))).toBe(false);
});

test.each([
  ['no folder', () => {}, 'no such folder'],
  ['no head', () => writeFileSync(join(folder, '..', 'x'), ''), 'no such folder'],
  ['another format', () => change('recording.json', '"format": 1', '"format": 2'), 'its format is 2'],
  ['a line of no JSON', () => appendFileSync(transcript(), 'x\n'), 'transcript.jsonl:2: '],
  ['a line that is no exchange', () => appendFileSync(transcript(), '{}\n'), 'the line is not an exchange'],
])('%s is refused', (name, damage, message) => {
  if (!name.startsWith('no ')) written(1);
  damage();
  expect(() => readRecording(folder)).toThrow(message);
});

function change(file: string, from: string, to: string): void {
  const path = join(folder, file);
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}
