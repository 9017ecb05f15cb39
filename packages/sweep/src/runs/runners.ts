import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '@understudy/text/json';

/** A test runner that can be told which tests to run. */
export interface Runner {
  name: string;
  /** The words that name it in a command. */
  words: RegExp;
  /** The arguments that leave out other tests. A few others may run, too. */
  only: (tests: readonly string[], command: readonly string[]) => string[];
  /** The arguments follow the word that names the runner, because it takes all that comes later for files. */
  isBeforeFiles?: true;
}

/** As test helpers name them: `test/roles.test.ts > a role > is created`. */
const partsOf = (test: string) => test.split(' > ');

const unique = (texts: readonly string[]) => [...new Set(texts)];

/** In regular expressions of JavaScript and Go. */
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const anyOf = (names: readonly string[]) => `^(${unique(names).map(escaped).join('|')})$`;

/** The files, and the names without them, joined as the runner compares them. */
const byFileAndName = (tests: readonly string[], flag: string) => [
  ...unique(tests.map((test) => partsOf(test)[0]!)),
  flag,
  anyOf(tests.map((test) => partsOf(test).slice(1).join(' '))),
];

const RUNNERS: readonly Runner[] = [
  { name: 'vitest', words: /^vitest$/, only: (tests) => byFileAndName(tests, '-t') },
  { name: 'jest', words: /^jest$/, only: (tests) => byFileAndName(tests, '-t') },
  {
    name: 'playwright',
    words: /^playwright$/,
    // The title begins with the project, which may have no name, and the file.
    only: (tests) => [
      '-g',
      `(${unique(tests.map((test) => escaped(partsOf(test).slice(2).join(' ').trim()))).join('|')})$`,
    ],
  },
  { name: 'pytest', words: /^(pytest|py\.test)$/, only: onlyInPytest },
  { name: 'node:test', words: /^--test$/, isBeforeFiles: true, only: onlyInNode },
  {
    name: 'go',
    words: /^go$/,
    only: (tests) => ['-count=1', '-run', anyOf(tests.map((test) => partsOf(test).at(-1)!.split('/')[0]!))],
  },
  {
    name: 'maven',
    words: /^(mvn|\.\/mvnw|mvnw)$/,
    only: (tests) => [
      `-Dtest=${unique(tests.map((test) => partsOf(test)[0]!.replace(/\.(\w+)$/, '#$1'))).join('+')}`,
    ],
  },
];

const FILE = /\.[cm]?[jt]sx?$/;

/** Node 20 compares each title alone, and runs a test only if the tests around it match. A suite that matches runs as a whole. */
function onlyInNode(tests: readonly string[]): string[] {
  const titles = tests.map((test) => partsOf(test).filter((part, index) => index > 0 || !FILE.test(part)));
  // A name without a title stands for all tests of a file.
  return titles.some(({ length }) => length === 0) ? [] : [`--test-name-pattern=${anyOf(titles.flat())}`];
}

/** Their ids if the command names no files, otherwise all tests with such names in these files. */
function onlyInPytest(tests: readonly string[], command: readonly string[]): string[] {
  const after = command.slice(command.findLastIndex((word) => /^(pytest|py\.test)$/.test(base(word))) + 1);
  if (after.every((word) => word.startsWith('-'))) return unique(tests);
  const names = tests.map((test) => test.split('::').at(-1)!.replace(/\[.*$/s, ''));
  return ['-k', unique(names).join(' or ')];
}

const base = (word: string) => path.basename(word).replace(/\.(js|mjs|cjs|exe|cmd)$/, '');

/** The runner that the command starts, also by a script of package.json. */
export function runnerOf(command: readonly string[], folder = path.resolve()): Runner | undefined {
  const words = scriptIn(command, folder) ?? command;
  return RUNNERS.find((runner) => wordOf(runner, words) >= 0);
}

export function commandFor(command: readonly string[], runner: Runner, tests: readonly string[]): string[] {
  const only = runner.only(tests, command);
  const isScript = scriptIn(command, path.resolve()) !== undefined;
  if (runner.isBeforeFiles)
    // Arguments for a script come last, where this runner takes them for files: all tests run.
    return isScript ? [...command] : command.toSpliced(wordOf(runner, command) + 1, 0, ...only);
  const separator = isScript && command[0] === 'npm' && !command.includes('--') ? ['--'] : [];
  return [...command, ...separator, ...only];
}

const wordOf = ({ words }: Runner, command: readonly string[]) =>
  command.findIndex((word) => words.test(base(word)));

/** The words of the script that `npm test` and the like run. */
function scriptIn([manager = '', ...words]: readonly string[], folder: string): string[] | undefined {
  if (!['npm', 'pnpm', 'yarn', 'bun'].includes(base(manager))) return undefined;
  const name = words.find((word) => !word.startsWith('-') && word !== 'run' && word !== 'exec');
  const file = path.join(folder, 'package.json');
  if (name === undefined || !existsSync(file)) return undefined;
  const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { scripts?: unknown };
  const script = isObject(scripts) ? scripts[name === 't' ? 'test' : name] : undefined;
  return typeof script === 'string' ? script.split(/\s+/) : undefined;
}
