import { stripVTControlCharacters } from 'node:util';

const ERROR = /(error|expect|assert|fail|panic)/i;
/** Headings and lists, not errors. */
const SUMMARY = /^\s*(⎯|FAIL\b|FAILED\b|[×✕✗]|={3,}|Tests?:?\s|Test (Files|Suites))/;
const MOST_LINES = 6;

/** What a runner has printed about a test that failed: the first lines about an error after its name, or the last lines. */
export function assertionIn(output: string, test: string | undefined): string {
  const lines = stripVTControlCharacters(output)
    .split('\n')
    .map((line) => line.trimEnd());
  const name = test?.split(/ > |::/).at(-1);
  const isError = (line: string) => ERROR.test(line) && !SUMMARY.test(line);
  // Runners name a test in their list and again where they print its error.
  const named =
    name === undefined
      ? -1
      : lines.findLastIndex(
          (line, index) => line.includes(name) && lines.slice(index + 1, index + 4).some(isError),
        );
  const from = lines.findIndex((line, index) => index > named && isError(line));
  const found = from < 0 ? lines.filter(Boolean).slice(-MOST_LINES) : lines.slice(from, from + MOST_LINES);
  return found.filter(Boolean).join('\n');
}
